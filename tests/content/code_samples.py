"""Small source files, one a language, with the signatures that matter."""

from __future__ import annotations

GO = """package store

import (
	"errors"
	"fmt"
)

// Store keeps values.
type Store struct {
	values map[string]int
	limit  int
}

var ErrFull = errors.New("full")

// Put adds a value.
// It fails where the store is full.
func (s *Store) Put(key string, value int) error {
	if len(s.values) >= s.limit {
		return fmt.Errorf("put %q: %w", key, ErrFull)
	} else if value < 0 {
		return errors.New("negative")
	}
	s.values[key] = value
	return nil
}

func New(limit int) *Store {
	store := &Store{
		values: map[string]int{},
		limit:  limit,
	}
	for i := 0; i < 3; i++ {
		fmt.Println("made", i, "of", limit)
	}
	return store
}
"""

RUST = """use std::collections::HashMap;

/// Keeps values.
#[derive(Debug, Clone)]
pub struct Store<K, V>
where
    K: Eq,
{
    values: HashMap<K, V>,
    limit: usize,
}

pub trait Keeps {
    fn put(&mut self, key: &str, value: i64) -> Result<(), String>;
}

impl Keeps for Store<String, i64> {
    /// Adds a value.
    fn put(&mut self, key: &str, value: i64) -> Result<(), String> {
        if self.values.len() >= self.limit {
            return Err(format!("full: {}", key));
        } else {
            println!("{{ not a brace \\" }}");
        }
        match value {
            0 => println!("zero"),
            n if n < 0 => {
                return Err("negative".to_string());
            }
            _ => {}
        }
        self.values.insert(key.to_string(), value);
        Ok(())
    }
}
"""

TYPESCRIPT = """import { readFile } from "node:fs/promises";

export interface Options {
  retries?: number;
  delay: number;
}

/**
 * Reads a file again and again.
 * Gives up after a while.
 */
export class Reader<T extends Options> extends Object {
  private tries = 0;

  constructor(private readonly options: T) {
    super();
    this.tries = options.retries ?? 3;
  }

  async read(path: string): Promise<string> {
    for (let i = 0; i < this.tries; i++) {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        console.log(`failed ${i} { of ${this.tries}`, error);
      }
    }
    throw new Error("gave up");
  }
}

export const read = async (path: string) => {
  const reader = new Reader({
    delay: 1,
    retries: 2,
  });
  return reader.read(path);
};
"""

JAVA = """package store;

import java.util.HashMap;

public class Store {
    private final HashMap<String, Integer> values = new HashMap<>();

    /** Adds a value. */
    @Deprecated
    public int put(String key, int value) throws IllegalStateException {
        if (values.size() > 10) {
            throw new IllegalStateException("full");
        }
        switch (value) {
            case 0:
                System.out.println("zero");
                break;
            default:
                System.out.println("more");
        }
        return values.put(key, value);
    }
}
"""

CPP = """#include <map>
#include <string>

namespace store {

template <typename T>
class Store {
  public:
    explicit Store(std::size_t limit) : limit_(limit) {}

    bool put(const std::string& key, T value) {
        if (values_.size() >= limit_) {
            return false;
        }
        values_[key] = value;
        return true;
    }

  private:
    std::map<std::string, T> values_;
    std::size_t limit_;
};

int count(const Store<int>& store)
{
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += i;
    }
    return sum;
}

}  // namespace store
"""

SAMPLES = {
    # language -> text, its signatures
    "go": (GO,
     ["type Store struct {", "func (s *Store) Put(key string, value int) error {", "func New(limit int)"]),
    "rust": (RUST, ["pub struct Store<K, V>", "pub trait Keeps {", "impl Keeps for Store",
        "    fn put(&mut self, key: &str"]),
    "typescript": (TYPESCRIPT, ["export interface Options {", "export class Reader<T",
        "  async read(path: string)", "export const read = async"]),
    "java": (JAVA, ["public class Store {", "    public int put(String key, int value)"]),
    "cpp": (CPP,
     ["class Store {", "    bool put(const std::string& key, T value) {", "int count(const Store<int>"]),
}  # fmt: skip
