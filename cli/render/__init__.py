"""Views of findings and tables: text for people, JSON for programs, annotations and JUnit for automation."""
