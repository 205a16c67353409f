use super::error::PROPERTIES_MAX;
use super::{ReadFault, ReadGameError, TEXT_BYTES_MAX};

/// Maximum number of letters in the name of a property.
const NAME_LETTERS_MAX: usize = 16;

/// A property of a node, such as `PW[White's name]`.
#[derive(Clone, Debug)]
pub(super) struct Property {
    /// The line on which it begins.
    pub(super) line: usize,
    pub(super) name: String,
    /// Its value, unescaped.
    pub(super) value: String,
}

/// The properties between two semicolons.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The line of its semicolon.
    pub(super) line: usize,
    pub(super) properties: Vec<Property>,
}

impl Node {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.property(name).map(|property| property.value.as_str())
    }

    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        self.properties
            .iter()
            .find(|property| property.name == name)
    }
}

/// Parses the games of a text into their nodes. There is at least one game, and every game has at
/// least one node.
pub(super) fn games(text: &str) -> Result<Vec<Vec<Node>>, ReadGameError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(ReadGameError {
            line: 1,
            fault: ReadFault::TooLong,
        });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = Cursor {
        rest: text,
        line: 1,
    };
    let mut games = Vec::new();
    loop {
        cursor.expect('(', "( before a game")?;
        games.push(cursor.nodes()?);
        if cursor.peek().is_none() {
            return Ok(games);
        }
    }
}

/// The part of a text that is not parsed yet.
struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl Cursor<'_> {
    /// Skips white space and returns the next character.
    fn peek(&mut self) -> Option<char> {
        while let Some(space) = self.rest.chars().next().filter(|c| c.is_whitespace()) {
            self.advance(space);
        }
        self.rest.chars().next()
    }

    fn advance(&mut self, past: char) {
        self.rest = &self.rest[past.len_utf8()..];
        self.line += usize::from(past == '\n');
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), ReadGameError> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.advance(found);
                Ok(())
            }
            found => Err(self.error(ReadFault::Syntax { expected, found })),
        }
    }

    fn error(&self, fault: ReadFault) -> ReadGameError {
        ReadGameError {
            line: self.line,
            fault,
        }
    }

    /// Parses the nodes of a game and its closing bracket.
    fn nodes(&mut self) -> Result<Vec<Node>, ReadGameError> {
        let mut nodes = Vec::new();
        loop {
            match self.peek() {
                Some(')') if !nodes.is_empty() => {
                    self.advance(')');
                    return Ok(nodes);
                }
                Some('(') if !nodes.is_empty() => return Err(self.error(ReadFault::Variation)),
                _ => {}
            }
            self.expect(';', "; before a node")?;
            nodes.push(self.node()?);
        }
    }

    fn node(&mut self) -> Result<Node, ReadGameError> {
        let mut node = Node {
            line: self.line,
            properties: Vec::new(),
        };
        while let Some('A'..='Z' | 'a'..='z') = self.peek() {
            let property = self.property()?;
            if node.property(&property.name).is_some() {
                let name = property.name;
                return Err(ReadGameError {
                    line: property.line,
                    fault: ReadFault::Repeated { name },
                });
            }
            if node.properties.len() == PROPERTIES_MAX {
                return Err(ReadGameError {
                    line: property.line,
                    fault: ReadFault::TooManyProperties,
                });
            }
            node.properties.push(property);
        }
        Ok(node)
    }

    fn property(&mut self) -> Result<Property, ReadGameError> {
        let line = self.line;
        let mut name = String::new();
        while let Some(letter @ ('A'..='Z' | 'a'..='z')) = self.rest.chars().next() {
            if name.len() == NAME_LETTERS_MAX {
                let expected = "[ before the value of a property";
                let found = Some(letter);
                return Err(self.error(ReadFault::Syntax { expected, found }));
            }
            name.push(letter);
            self.advance(letter);
        }
        self.expect('[', "[ before the value of a property")?;
        let value = self.value()?;
        Ok(Property { line, name, value })
    }

    /// Parses a value and its closing bracket. A backslash escapes the next character.
    fn value(&mut self) -> Result<String, ReadGameError> {
        let mut value = String::new();
        let mut escaped = false;
        while let Some(letter) = self.rest.chars().next() {
            self.advance(letter);
            match letter {
                ']' if !escaped => return Ok(value),
                '\\' if !escaped => escaped = true,
                letter => {
                    value.push(letter);
                    escaped = false;
                }
            }
        }
        Err(self.error(ReadFault::Syntax {
            expected: "] after the value of a property",
            found: None,
        }))
    }
}
