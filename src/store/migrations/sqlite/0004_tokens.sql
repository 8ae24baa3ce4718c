-- What callers of the service show, hashed.

CREATE TABLE token (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  name            TEXT    NOT NULL,
  scope           TEXT    NOT NULL,
  hash            TEXT    NOT NULL UNIQUE,
  user_name       TEXT    NOT NULL,
  project         TEXT    NOT NULL,
  created_at_us   INTEGER NOT NULL,
  expires_at_us   INTEGER,
  revoked_at_us   INTEGER,
  last_used_at_us INTEGER,
  uses            INTEGER NOT NULL CHECK (uses >= 0),
  most_uses       INTEGER CHECK (most_uses >= 1)
) STRICT;

-- A node's secret is named as the node, which may be named as somebody's token.
CREATE UNIQUE INDEX token_name ON token (name, (scope = 'node')) WHERE revoked_at_us IS NULL;
