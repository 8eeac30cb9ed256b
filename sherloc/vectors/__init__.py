"""Embedders, which turn texts into vectors, and stores, which keep vectors and find the nearest.

The only room that knows ONNX Runtime, tokenizers, sentence-transformers and Chroma; each is loaded when it is opened.
"""

from sherloc.vectors.opening import open_embedder, open_store

__all__ = ["open_embedder", "open_store"]
