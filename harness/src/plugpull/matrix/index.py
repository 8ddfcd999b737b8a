"""What the package index knows about one project: its releases, and when their files came."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from packaging.version import InvalidVersion, Version

from plugpull.errors import PlugpullError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from pypi_simple import DistributionPackage, ProjectPage

__all__ = [
    "Index",
    "NoSuchProject",
    "OnlineIndex",
    "Release",
    "certificates",
    "index_url",
    "uv_settings",
]

#: Seconds for the connection and for each pause between two pieces of the answer.
TIMEOUT = (10.0, 60.0)
#: How often a connection that broke is tried again before it counts as no network.
RETRIES = 2

_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_CERTIFICATE_VARIABLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "SSL_CERT_DIR",
)


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a project, as the index has it.

    Attributes:
        version: As it is normally written (PEP 440).
        first_upload: When its first file came. ``None`` if the index does not tell.
        last_upload: When its last file came.
        yanked: The reason it was yanked for, ``""`` if none was given, ``None`` if it was not.
        requires_python: The Pythons it is meant for, as a specifier. ``None`` means any.
    """

    version: str
    first_upload: datetime | None = None
    last_upload: datetime | None = None
    yanked: str | None = None
    requires_python: str | None = None


class Index(Protocol):
    """Whatever can say which releases a project has."""

    def releases(self, project: str) -> tuple[Release, ...]:
        """All releases of a project, the oldest version first.

        Raises:
            NoSuchProject: The index does not have that project.
            PlugpullError: The index cannot be asked.
        """
        ...


class NoSuchProject(UsageError):
    """The index does not know the project."""


class OnlineIndex:
    """The index that uv would install from, asked over the network."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = dict(os.environ if environ is None else environ)
        self.url = index_url(self._environ)

    def releases(self, project: str) -> tuple[Release, ...]:
        """See :meth:`Index.releases`."""
        # nox lets every library's log through, down to each connection.
        logging.getLogger("urllib3").setLevel(logging.ERROR)
        # Slow imports, and most nox processes never ask the index anything.
        import pypi_simple  # noqa: PLC0415
        import requests  # noqa: PLC0415

        if self._environ.get("UV_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
            raise PlugpullError(
                f"the releases of {project} cannot be looked up: UV_OFFLINE is set",
                then="unset UV_OFFLINE",
            )
        try:
            with requests.Session() as session:
                adapter = requests.adapters.HTTPAdapter(max_retries=RETRIES)
                session.mount("https://", adapter)
                session.mount("http://", adapter)
                # Given explicitly, so that a bundle named for uv or pip alone works here too.
                session.verify = certificates(self._environ) or True
                client = pypi_simple.PyPISimple(self.url, session=session)
                return _releases(client.get_project_page(project, timeout=TIMEOUT))
        except pypi_simple.NoSuchProjectError as error:
            raise NoSuchProject(
                f"the index {_shown(self.url)} has no project {project!r}",
                then="correct `distribution` in the target's target.json",
            ) from error
        except requests.exceptions.SSLError as error:
            raise PlugpullError(
                f"the index {_shown(self.url)} shows a certificate that is not trusted here",
                why=_cause(error),
                then="name your certificate bundle in SSL_CERT_FILE",
            ) from error
        except (
            requests.RequestException,
            pypi_simple.UnsupportedContentTypeError,
            pypi_simple.UnsupportedRepoVersionError,
            ValueError,
        ) as error:
            raise PlugpullError(
                f"the releases of {project} cannot be looked up at {_shown(self.url)}",
                why=_cause(error),
                then="check the network, the proxy variables and "
                f"{', '.join(_INDEX_VARIABLES)}; `nox -l` and `nox -s collect` need no network",
            ) from error


def index_url(environ: Mapping[str, str]) -> str:
    """The address of the index: the first of uv's and pip's variables that is set."""
    for name in _INDEX_VARIABLES:
        value = environ.get(name, "").strip()
        if value:
            # uv lets an index have a name: "internal=https://...".
            label, separator, address = value.partition("=")
            named = bool(separator) and "/" not in label and ":" not in label
            return address if named else value
    # The default of uv and pip. Imported here, since only the planning process needs it.
    from pypi_simple import PYPI_SIMPLE_ENDPOINT  # noqa: PLC0415

    return str(PYPI_SIMPLE_ENDPOINT)


def certificates(environ: Mapping[str, str]) -> str | None:
    """The file or folder of trusted certificates that the user named, if it is there."""
    for name in _CERTIFICATE_VARIABLES:
        value = environ.get(name, "").strip()
        if value and Path(value).exists():
            return value
    return None


def uv_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """What uv must be told besides, so that it installs from the index that was asked here.

    uv reads its own variables and SSL_CERT_FILE; pip's and those of other tools it does not know.
    """
    settings: dict[str, str] = {}
    if not any(environ.get(name) for name in _INDEX_VARIABLES[:2]) and environ.get("PIP_INDEX_URL"):
        settings["UV_DEFAULT_INDEX"] = index_url(environ)
    trusted = certificates(environ)
    if trusted is not None and not environ.get("SSL_CERT_FILE") and Path(trusted).is_file():
        settings["SSL_CERT_FILE"] = trusted
    return settings


def _releases(page: ProjectPage) -> tuple[Release, ...]:
    files: dict[Version, list[DistributionPackage]] = {}
    for file in page.packages:
        try:
            version = Version(file.version or "")
        except InvalidVersion:
            continue  # No resolver of today would install it either.
        files.setdefault(version, []).append(file)
    return tuple(_release(version, files[version]) for version in sorted(files))


def _release(version: Version, files: Iterable[DistributionPackage]) -> Release:
    files = list(files)
    uploads = sorted(file.upload_time for file in files if file.upload_time is not None)
    # PEP 592: a release counts as yanked when all of its files are.
    yanked = all(file.is_yanked for file in files)
    reasons = [file.yanked_reason for file in files if file.yanked_reason]
    # A wheel's is read from its own metadata; a source archive is the second best.
    by_trust = sorted(files, key=lambda file: file.package_type != "wheel")
    wanted = [file.requires_python for file in by_trust if file.requires_python]
    return Release(
        version=str(version),
        first_upload=uploads[0] if uploads else None,
        last_upload=uploads[-1] if uploads else None,
        yanked=(reasons[0] if reasons else "") if yanked else None,
        requires_python=wanted[0] if wanted else None,
    )


def _shown(url: str) -> str:
    """The address without a user name and password."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def _cause(error: BaseException) -> str:
    """The innermost reason, which says more than the layers around it."""
    text = str(error)
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
        text = str(error) or text
    return text[:300]
