# SPDX-License-Identifier: MIT OR Apache-2.0
# Proteins by chance, the same each time: proteins.pl family COUNT LENGTH, an alignment; proteins.pl sequences COUNT LENGTH.
use strict;
use integer;
my ($what, $count, $length) = @ARGV;
my $state = $what eq "family" ? 13 : 17;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
my @letters = split //, "ACDEFGHIKLMNPQRSTVWY";
if ($what eq "family") {
    my @ancestor = map { $letters[below(20)] } 1 .. $length;
    print "# STOCKHOLM 1.0\n";
    for my $n (1 .. $count) {
        print sprintf("s%-4d ", $n), join("", map { my $r = below(10); $r < 6 ? $_ : $r < 9 ? $letters[below(20)] : "-" } @ancestor), "\n";
    }
    print "//\n";
} else {
    for my $n (1 .. $count) {
        print ">q$n\n", join("", map { $letters[below(20)] } 1 .. $length / 2 + below($length)), "\n";
    }
}
