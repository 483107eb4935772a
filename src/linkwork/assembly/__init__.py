"""Names become numbers: the graph becomes tree and cuts, the words become tables."""
