"""What the site needs beyond published extensions."""
