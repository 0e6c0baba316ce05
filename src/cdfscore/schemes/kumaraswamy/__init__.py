"""The Kumaraswamy scheme."""
