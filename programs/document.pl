# SPDX-License-Identifier: MIT OR Apache-2.0
# An XML document, the same each time: document.pl ENTRIES.
use strict;
use integer;
my $state = 19;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
my @words = qw(memory bank cache row column page frame color core task budget refresh channel rank node bus);
print "<?xml version=\"1.0\"?>\n<library>\n";
for my $n (1 .. $ARGV[0]) {
    my $title = join " ", map { $words[below(16)] } 0 .. 2 + below(4);
    print "<book id=\"b$n\" year=\"", 1950 + below(70), "\"><title>$title</title>";
    print "<author>", join("", map { chr(97 + below(26)) } 1 .. 7), "</author>" for 0 .. below(3);
    print "<price>", below(100), "</price></book>\n";
}
print "</library>\n";
