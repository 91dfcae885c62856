"""What records say: each analysis computes from records, and plays nothing."""
