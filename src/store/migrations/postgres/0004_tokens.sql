-- What callers of the service show, hashed.

CREATE TABLE token (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text   COLLATE "C" NOT NULL,
  scope           text   NOT NULL,
  hash            text   COLLATE "C" NOT NULL UNIQUE,
  user_name       text   NOT NULL,
  project         text   NOT NULL,
  created_at_us   bigint NOT NULL,
  expires_at_us   bigint,
  revoked_at_us   bigint,
  last_used_at_us bigint,
  uses            bigint NOT NULL CHECK (uses >= 0),
  most_uses       bigint CHECK (most_uses >= 1)
);

-- A node's secret is named as the node, which may be named as somebody's token.
CREATE UNIQUE INDEX token_name ON token (name, (scope = 'node')) WHERE revoked_at_us IS NULL;
