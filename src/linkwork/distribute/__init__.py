"""ELSEWHERE: components in other processes, on MPI ranks and on other hosts."""
