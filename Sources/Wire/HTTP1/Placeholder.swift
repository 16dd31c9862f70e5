// Placeholder until the first file arrives.
