"""The fast versions of HU's algorithms (`simulate` in NAME.py), and the parts that they share."""
