"""The diagnosis on simulated scores: does it find the family, and is its level right?"""
