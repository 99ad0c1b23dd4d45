"""Whether a plan is still that of its spec: the digest of the folder's files, without reading any YAML."""

from hashlib import sha256
from pathlib import Path, PurePosixPath

from evalspec.compiler.files import corpus_files, digest_of_files, spec_files
from evalspec.spec.plan import Plan


def unchanged(folder: Path, plan: Plan) -> bool:
    """Whether the spec in `folder` has the digest that `plan` was compiled from.

    The corpus folders are those of the plan: had the source config named others, its own digest would differ.
    """
    names = {name: folder / name for name in spec_files(folder)}
    if plan.sources.corpus.enabled:
        for entry in plan.sources.corpus.folders:
            base = PurePosixPath(entry.path)
            names |= {(base / name).as_posix(): path for name, path in corpus_files(folder / entry.path)}
    try:
        digests = {name: sha256(path.read_bytes()).hexdigest() for name, path in names.items()}
    except OSError:
        return False
    return digest_of_files(digests) == plan.spec_digest
