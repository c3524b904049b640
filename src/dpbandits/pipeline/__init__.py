"""What runs the papers: from config to jobs, tables, figures and the report. Knows no paper by name."""
