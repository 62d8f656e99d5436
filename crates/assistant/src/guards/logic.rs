//! Class 2, logic variance: a puzzle of people, objects and positions is handed to a solver.
