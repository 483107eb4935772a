"""Forces: springs, bushings, tyres, motors, and the curves and roads that they follow."""
