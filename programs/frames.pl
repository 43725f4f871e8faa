# SPDX-License-Identifier: MIT OR Apache-2.0
# A film in YUV4MPEG2, the same each time: frames.pl WIDTH HEIGHT FRAMES. Patterns that move, and noise.
use strict;
use integer;
my ($w, $h, $frames) = @ARGV;
binmode STDOUT;
print "YUV4MPEG2 W$w H$h F25:1 Ip A1:1 C420jpeg\n";
my $state = 7;
my $noise = join "", map { $state = ($state * 16807) % 2147483647; chr($state >> 8 & 7) } 1 .. 65536;
my @wave = map { my $x = $_ & 255; chr(16 + ($x < 128 ? $x : 255 - $x) * 3 / 2) } 0 .. 255;
for my $f (0 .. $frames - 1) {
    print "FRAME\n";
    for my $y (0 .. $h - 1) {
        my $shift = ($y * 3 / 2 + $f * 5 + ($y / 32 & 1) * $f * 3) & 255;
        my $row = join "", map { $wave[($_ * 2 + $shift) & 255] } 0 .. $w - 1;
        # Exclusive or with some bits of noise, at another place each time.
        print $row ^ substr($noise, ($y * 331 + $f * 7919) % (65536 - $w), $w);
    }
    for my $plane (0, 1) {
        print join("", map { chr(128 + (($_ + $f * 2 + $plane * 9) / 8 & 15)) } 0 .. $w / 2 - 1) for 1 .. $h / 2;
    }
}
