//! Nothing: a sandbox calls no foreign functions. See the manifest for why this package exists.
