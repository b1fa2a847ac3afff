"""One module for each command of `oddrank`."""
