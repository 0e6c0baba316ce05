"""The command line in this process, as the tests of the commands run it."""

from tests.cli.conftest import Files as Files
from tests.cli.conftest import Outcome as Outcome
from tests.cli.conftest import cdfscore as cdfscore
from tests.cli.conftest import refused as refused
from tests.cli.conftest import sentence as sentence
from tests.cli.conftest import write as write
