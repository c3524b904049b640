"""What runs the papers, from config to jobs, tables, figures and report; names none of them."""
