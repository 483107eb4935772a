"""Files of runs and states: npz, csv, HDF5 streams."""
