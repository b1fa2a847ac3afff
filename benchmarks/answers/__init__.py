"""What a few answers are worth: our model beside coniferest's forests, on hundreds of tables."""
