"""Laws: how something depends on time, motion and inputs."""
