import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readPostgresUrl } from '../../../../runtime/store/postgres/location.ts'
import {
  parseStoreLocation,
  storeLocationProblem,
  storeLocationText,
} from '../../../../runtime/store/store.ts'
import { tempDirectory } from '../../../support/temp.ts'

const location = suite('runtime/store: locations of PostgreSQL')
const authority = join(tempDirectory(), 'ca.crt')
writeFileSync(authority, 'authority')

const verified = { rejectUnauthorized: true }

const readings: readonly (readonly [url: string, settings: object])[] = [
  [
    'postgres://ann:s%40same@db.example:5433/shop',
    {
      connection: {
        application_name: 'orch',
        host: 'db.example',
        port: 5433,
        user: 'ann',
        password: 's@same',
        database: 'shop',
        ssl: verified,
      },
      hosts: [{ host: 'db.example', port: 5433 }],
      schema: 'orch',
      poolSize: 4,
      statementTimeoutMs: 30_000,
    },
  ],
  [
    'postgresql:///shop?host=/run/pg&user=ann&schema=a_1&pool_size=9&statement_timeout=1000&application_name=x',
    {
      connection: {
        application_name: 'x',
        ssl: false,
        host: '/run/pg',
        port: 5432,
        user: 'ann',
        database: 'shop',
      },
      hosts: [{ host: '/run/pg', port: 5432 }],
      schema: 'a_1',
      poolSize: 9,
      statementTimeoutMs: 1000,
    },
  ],
  [
    'postgres://ann:a%2Cb@one.example:5433,two.example/shop?target_session_attrs=read-write',
    {
      connection: {
        application_name: 'orch',
        host: 'one.example',
        port: 5433,
        user: 'ann',
        password: 'a,b',
        database: 'shop',
        ssl: verified,
      },
      hosts: [
        { host: 'one.example', port: 5433 },
        { host: 'two.example', port: 5432 },
      ],
      schema: 'orch',
      poolSize: 4,
      statementTimeoutMs: 30_000,
    },
  ],
]

location('a URL says where the database is and how it is used', () => {
  for (const [url, settings] of readings) assert.equal(readPostgresUrl(url), settings)
})

location(
  'without a word about it, TLS is verified over a network and absent within a machine',
  () => {
    const tlsOf = (rest: string) => readPostgresUrl(`postgres://${rest}`).connection.ssl
    assert.equal(tlsOf('db.example/a'), verified)
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
      assert.is(tlsOf(`${host}/a`), false)
    }
    assert.is(tlsOf('db.example/a?sslmode=disable'), false)
    assert.equal(tlsOf(`localhost/a?sslmode=verify-full&sslrootcert=${authority}`), {
      rejectUnauthorized: true,
      ca: 'authority',
    })
    const kept = (rest: string) => {
      const { checkServerIdentity, ...tls } = tlsOf(rest) as { checkServerIdentity?: unknown }
      return [tls, typeof checkServerIdentity]
    }
    assert.equal(kept('db/a?sslmode=require'), [{ rejectUnauthorized: false }, 'function'])
    assert.equal(kept('db/a?sslmode=verify-ca'), [{ rejectUnauthorized: true }, 'function'])
  },
)

location('a file says the same as a URL, and keeps a password out of lists of processes', () => {
  const file = join(tempDirectory(), 'database.conf')
  const words = 'host = one.example,two.example\nport = 5433,5432\nuser=ann\npassword = a,b=c\n'
  writeFileSync(file, `# the shop\n\n${words}dbname = shop\nsslmode = verify-full\n`)
  const url = 'postgres://ann:a%2Cb%3Dc@one.example:5433,two.example/shop'
  assert.equal(readPostgresUrl(`postgres:${file}`), readPostgresUrl(url))
  writeFileSync(file, 'host = a\nnonsense\n')
  const problemOf = (text: string) => storeLocationProblem(parseStoreLocation(text) as never) ?? ''
  assert.is(problemOf(`postgres:${file}`), `line 2 of ${file}: must be NAME = VALUE`)
  assert.match(problemOf('postgres:/none'), 'has file=/none, which is no file')
})

const problems: readonly (readonly [url: string, problem: string])[] = [
  ['postgres://ann:p@/a b', 'is no URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  [
    'postgres://db/a?sslmod=disable',
    'has an unknown parameter sslmod: known are schema, pool_size',
  ],
  ['postgres://a,b/c?port=1', 'names port twice'],
  ['postgres:///c?host=a,b,c&port=1,2', 'has 3 hosts and 2 ports'],
  ['postgres://a,,b/c', 'has an empty host in its list'],
  [
    'postgres://a,b/c?target_session_attrs=any',
    'has target_session_attrs=any: must be read-write or primary',
  ],
  ['postgres://db/a?schema=b&schema=c', 'names schema twice'],
  ['postgres://db/a?schema=Shop', 'has schema=Shop: must be lower-case letters, digits and _'],
  [
    'postgres://db/a?schema=x";drop',
    'has schema=x";drop: must be lower-case letters, digits and _',
  ],
  ['postgres://db/a?pool_size=0', 'has pool_size=0: must be a whole number from 1 to 1000'],
  ['postgres://db/a?pool_size=many', 'has pool_size=many: must be a whole number from 1 to 1000'],
  ['postgres://db/a?statement_timeout=5', 'must be a whole number from 100 to 3600000'],
  [
    'postgres://db/a?sslmode=allow',
    'has sslmode=allow: must be disable, require, verify-ca, verify-full',
  ],
  ['postgres://db/a?sslrootcert=/none', 'has sslrootcert=/none, which is no file'],
  ['postgres://db/100%', 'has a % that begins no escape: write it as %25'],
]

location('a URL that means nothing is refused with the place of the mistake', () => {
  for (const [url, problem] of problems) {
    const parsed = parseStoreLocation(url)
    assert.is(parsed?.kind, 'postgres', url)
    assert.match((parsed && storeLocationProblem(parsed)) ?? '', problem)
  }
})

location('messages never show a password', () => {
  const shown: readonly (readonly [string, string])[] = [
    ['postgres://ann:s3same@db/shop', 'postgres://ann:***@db/shop'],
    ['postgresql://ann:s3same:more@db/shop', 'postgresql://ann:***@db/shop'],
    [
      'postgres://ann@db/shop?a=b&password=s3same&c=d',
      'postgres://ann@db/shop?a=b&password=***&c=d',
    ],
    ['postgres://db/shop', 'postgres://db/shop'],
    ['sqlite:a.db', 'sqlite:a.db'],
  ]
  for (const [text, safe] of shown) assert.is(storeLocationText(text), safe)
})

location.run()
