import CommandLine
import Glibc

exit(CommandTable.run(.live()).rawValue)
