// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures as SVG: line charts, grouped and stacked bars, distributions, time series, box plots,
//! Gantt charts.
//!
//! Each is drawn twice, for screens and for phones. All have axes with units, a legend that does not rely on color, the
//! provenance at the foot, a title and a description for screen readers, and colors for light and for dark screens. Bars
//! start at 0, those of ratios at 1; an axis that is cut or logarithmic says so; nothing is joined between which nothing
//! was measured. The same data gives the same bytes.

mod axis;
mod bars;
mod boxes;
mod canvas;
mod cdf;
mod domain;
mod gantt;
mod histogram;
mod legend;
mod line;
mod palette;
mod panel;
mod scheme;
mod sheet;
mod stacked;
mod svg;
mod ticks;
mod time_series;

pub use axis::{Axis, Scale, Start};
pub use bars::{Bar, BarChart, BarSeries};
pub use boxes::{BoxPlot, BoxStats};
pub use cdf::{CdfChart, Distribution};
pub use gantt::{BarStyle, Gantt, GanttBar, Lane, Mark, MarkKind};
pub use histogram::{Bin, BinSeries, HistogramChart};
pub use line::{Between, LineChart, Point, Reference, Series, SpreadStyle};
pub use panel::Heading;
pub use stacked::{Layer, StackedChart};
pub use svg::Svg;
pub use time_series::{TimeSeries, Trace};
