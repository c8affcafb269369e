"""The judge: a model's second opinion on trials. The one door to anthropic."""
