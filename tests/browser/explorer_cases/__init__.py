"""One module per explorer, of its name: data unlike its chapter's, and states to go through."""
