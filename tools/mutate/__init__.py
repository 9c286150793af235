"""Makes small mistakes in the solutions mechanically, and sees whether the labs' cases find them."""
