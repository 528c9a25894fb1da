"""What the model is told again."""
