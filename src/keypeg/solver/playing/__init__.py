"""Players that look one row ahead: over all codes, over a sample, or as a beginner would."""
