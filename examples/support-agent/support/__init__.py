"""A small customer-support agent: a scripted model, a tool-calling loop and a shop in memory."""
