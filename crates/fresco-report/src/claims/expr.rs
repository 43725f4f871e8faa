// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formulas that claims are checked by.
//!
//! ```text
//! expression = product { ("+" | "-") product }
//! product    = factor { ("*" | "/") factor }
//! factor     = number | "(" expression ")" | over | selector
//! over       = ("mean" | "min" | "max") "(" label ":" expression ")"
//! selector   = metric [ "{" label "=" value { "," label "=" value } "}" ]
//! ```
//!
//! A selector names one measured value; the label `experiment` picks another experiment than the claim's own. `over`
//! takes the mean, minimum or maximum over all values of a label: `mean(size_mib: alloc_ns.mean{policy=palloc})`; if all its
//! selectors pick the same other experiment, over the values there.

use super::results::Labels;
use serde::Deserialize;

/// A parsed formula with its text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Expr {
    pub(super) text: String,
    pub(super) node: Node,
}

/// A node of the formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Number(f64),
    Select {
        metric: String,
        labels: Labels,
    },
    Binary(Box<Node>, Operator, Box<Node>),
    Over {
        fold: Fold,
        label: String,
        inner: Box<Node>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Mean,
    Median,
    Min,
    Max,
}

/// Formulas nest no deeper than this, so that the parser's stack is bounded.
const DEEPEST: usize = 32;

impl TryFrom<String> for Expr {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut parser = Parser {
            rest: text.trim(),
            depth: 0,
        };
        let parsed = parser.expression().and_then(|node| match parser.rest {
            "" => Ok(node),
            rest => Err(format!("unexpected \"{rest}\"")),
        });
        match parsed {
            Ok(node) => Ok(Self { node, text }),
            Err(why) => Err(format!("formula \"{text}\": {why}")),
        }
    }
}

/// The experiment that a selector with these labels picks; `own` if it names none.
pub(super) fn experiment_of<'l>(labels: &'l Labels, own: &'l str) -> &'l str {
    labels.get("experiment").map_or(own, String::as_str)
}

/// `a=1, b=2` as labels.
pub(super) fn labels(text: &str) -> Result<Labels, String> {
    let mut labels = Labels::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("label \"{pair}\" has no \"=\""))?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if name.is_empty() || value.is_empty() || labels.contains_key(&name) {
            return Err(format!("label \"{pair}\" is empty or given twice"));
        }
        labels.insert(name, value);
    }
    Ok(labels)
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[('+', Operator::Add), ('-', Operator::Subtract)]) {
            left = Node::Binary(Box::new(left), operator, Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.factor()?;
        while let Some(operator) = self.operator(&[('*', Operator::Multiply), ('/', Operator::Divide)]) {
            left = Node::Binary(Box::new(left), operator, Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, String> {
        if self.take('(') {
            let inner = self.expression()?;
            return if self.take(')') {
                Ok(inner)
            } else {
                Err("\")\" is missing".to_owned())
            };
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word
                .parse()
                .map(Node::Number)
                .map_err(|_| format!("\"{word}\" is not a number"));
        }
        if word.is_empty() {
            return Err(format!("a number or a metric is missing before \"{}\"", self.rest));
        }
        if self.take('(') {
            self.over(&word)
        } else {
            self.selector(word)
        }
    }

    fn over(&mut self, name: &str) -> Result<Node, String> {
        let fold = match name {
            "mean" => Fold::Mean,
            "median" => Fold::Median,
            "min" => Fold::Min,
            "max" => Fold::Max,
            other => return Err(format!("no function \"{other}\"; there are mean, min and max")),
        };
        let label = self.word();
        if label.is_empty() || !self.take(':') {
            return Err(format!("{name} needs a label and \":\""));
        }
        let inner = Box::new(self.expression()?);
        if self.take(')') {
            Ok(Node::Over { fold, label, inner })
        } else {
            Err("\")\" is missing".to_owned())
        }
    }

    fn selector(&mut self, metric: String) -> Result<Node, String> {
        if !self.take('{') {
            return Ok(Node::Select {
                metric,
                labels: Labels::new(),
            });
        }
        let (inside, rest) = self.rest.split_once('}').ok_or("\"}\" is missing")?;
        self.rest = rest.trim_start();
        Ok(Node::Select {
            metric,
            labels: labels(inside)?,
        })
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn operator(&mut self, choices: &[(char, Operator)]) -> Option<Operator> {
        choices
            .iter()
            .find(|(c, _)| self.take(*c))
            .map(|(_, operator)| *operator)
    }

    /// Letters, digits, `_` and `.`.
    fn word(&mut self) -> String {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word.to_owned()
    }
}

impl Node {
    /// Calls `visit` with every selector below this node.
    pub(super) fn selectors<'n>(&'n self, visit: &mut impl FnMut(&'n str, &'n Labels)) {
        match self {
            Node::Number(_) => {}
            Node::Select { metric, labels } => visit(metric, labels),
            Node::Binary(left, _, right) => {
                left.selectors(visit);
                right.selectors(visit);
            }
            Node::Over { inner, .. } => inner.selectors(visit),
        }
    }

    /// Calls `visit` with the label and the formula of every mean, minimum and maximum below this node.
    pub(super) fn overs<'n>(&'n self, visit: &mut impl FnMut(&'n str, &'n Node)) {
        match self {
            Node::Number(_) | Node::Select { .. } => {}
            Node::Binary(left, _, right) => {
                left.overs(visit);
                right.overs(visit);
            }
            Node::Over { label, inner, .. } => {
                visit(label, inner);
                inner.overs(visit);
            }
        }
    }

    /// The experiment whose values of a label a mean, minimum or maximum of this formula goes over: the one that its
    /// selectors name, if all name the same; else `own`.
    pub(super) fn experiment<'n>(&'n self, own: &'n str) -> &'n str {
        let mut named = Vec::new();
        self.selectors(&mut |_, labels| named.push(experiment_of(labels, own)));
        match named.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other == first) => first,
            _ => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Expr, String> {
        Expr::try_from(text.to_owned())
    }

    #[test]
    fn selectors_keep_dashes_in_values() {
        let expr = parse("latency_ns.mean{policy = diffbank-b1-7, corunners=3}").unwrap();
        let Node::Select { metric, labels } = expr.node else {
            panic!("not a selector")
        };
        assert_eq!(metric, "latency_ns.mean");
        assert_eq!(labels["policy"], "diffbank-b1-7");
        assert_eq!(labels["corunners"], "3");
    }

    #[test]
    fn products_bind_tighter_than_sums() {
        let Node::Binary(_, Operator::Subtract, right) = parse("1 - 2 * 3").unwrap().node else {
            panic!()
        };
        assert!(matches!(*right, Node::Binary(_, Operator::Multiply, _)));
    }

    #[test]
    fn broken_formulas_say_what_is_wrong() {
        for (text, what) in [
            ("", "missing"),
            ("a +", "missing"),
            ("(a", "\")\" is missing"),
            ("a{b=1", "\"}\" is missing"),
            ("a{b}", "has no \"=\""),
            ("a{b=1, b=2}", "given twice"),
            ("mode(x: a)", "no function"),
            ("mean(a)", "needs a label"),
            ("a b", "unexpected"),
            ("1.2.3", "not a number"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
        assert!(parse(&"(".repeat(10_000)).unwrap_err().contains("deeper"));
    }
}
