# SPDX-License-Identifier: MIT OR Apache-2.0
# A beam of bricks for CalculiX, held at one end, loaded at the other: beam.pl LENGTH HEIGHT WIDTH, in elements.
use strict;
use integer;
my ($nx, $ny, $nz) = @ARGV;
sub node { my ($x, $y, $z) = @_; return 1 + $x + ($nx + 1) * ($y + ($ny + 1) * $z) }
print "*NODE, NSET=ALL\n";
for my $z (0 .. $nz) { for my $y (0 .. $ny) { for my $x (0 .. $nx) { print node($x, $y, $z), ", $x., $y., $z.\n" } } }
print "*ELEMENT, TYPE=C3D8, ELSET=BEAM\n";
my $e = 0;
for my $z (0 .. $nz - 1) { for my $y (0 .. $ny - 1) { for my $x (0 .. $nx - 1) {
    my @n = map { my $up = $_; (node($x, $y, $z + $up), node($x + 1, $y, $z + $up), node($x + 1, $y + 1, $z + $up), node($x, $y + 1, $z + $up)) } 0, 1;
    print join(", ", ++$e, @n), "\n";
} } }
print "*BOUNDARY\n";
for my $z (0 .. $nz) { for my $y (0 .. $ny) { print node(0, $y, $z), ", 1, 3\n" } }
print "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*SOLID SECTION, ELSET=BEAM, MATERIAL=STEEL\n*STEP\n*STATIC\n*CLOAD\n";
print node($nx, $ny, $_), ", 2, -10.\n" for 0 .. $nz;
print "*NODE PRINT, NSET=ALL\nU\n*END STEP\n";
