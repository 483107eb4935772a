"""SDF: models and worlds of Gazebo and its relatives."""
