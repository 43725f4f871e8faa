# SPDX-License-Identifier: MIT OR Apache-2.0
# A scene, the same each time: scene.pl SPHERES.
use strict;
use integer;
my $state = 11;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
print "camera { location <0, 4, -12> look_at <0, 1, 0> }\nlight_source { <20, 30, -20> color rgb 1 }\n";
print "light_source { <-20, 20, -10> color rgb 0.5 }\nplane { y, 0 pigment { checker rgb 0.9 rgb 0.2 } finish { reflection 0.2 } }\n";
sub decimal { my $v = shift; return ($v < 0 ? "-" : "") . abs($v) / 100 . sprintf ".%02d", abs($v) % 100 }
for (1 .. $ARGV[0]) {
    my ($x, $y, $z, $r) = map { below($_) } 1600, 400, 1600, 40;
    my $place = join ", ", map { decimal($_) } $x - 800, $y, $z - 800;
    my $color = join ", ", map { "0." . below(10) } 1 .. 3;
    print "sphere { <$place>, ", decimal(10 + $r), " pigment { rgb <$color> } finish { reflection 0.", below(6), " phong 0.7 } }\n";
}
