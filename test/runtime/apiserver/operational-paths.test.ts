/** Who may read health, version and metrics of a server that is as it began. H-14 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { UserInfo } from '../../../runtime/auth/auth.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

const test = suite<{ server: RunningApiServer }>('runtime/apiserver: operational paths')

test.before(async (context) => {
  context.server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    authorization: { modes: ['RBAC'] },
  })
})
test.after(({ server }) => server?.stop())

const unknown = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const jane = { username: 'jane', groups: ['system:authenticated'] }
const scraper = { username: 'scraper', groups: ['system:monitoring', 'system:authenticated'] }
const admin = { username: 'root', groups: ['system:masters', 'system:authenticated'] }

const open = ['/livez', '/readyz', '/healthz', '/version', '/version/']
const discovery = ['/api', '/apis', '/openapi/v2', '/openapi/v3', '/apis/apps/v1']

/** The paths that each of them may read; the others are refused. */
const cases: readonly (readonly [
  user: UserInfo,
  may: readonly string[],
  not: readonly string[],
])[] = [
  [unknown, open, ['/livez/ping', '/metrics', '/metrics/slis', ...discovery, '/logs/']],
  [jane, [...open, ...discovery], ['/livez/ping', '/metrics', '/metrics/slis', '/logs/']],
  [scraper, [...open, ...discovery, '/livez/ping', '/readyz/ping', '/metrics'], ['/logs/']],
  [admin, [...open, ...discovery, '/livez/ping', '/metrics'], []],
]

for (const [user, may, not] of cases) {
  test(`${user.username} reads ${may.length} of these paths, and is refused ${not.length} (H-14)`, async ({
    server,
  }) => {
    const read = async (path: string): Promise<number> => {
      const answer = await server.dispatch({ method: 'GET', path, headers: {}, user })
      for await (const _ of answer.body);
      return answer.status
    }
    for (const path of may) assert.is.not(await read(path), 403, path)
    for (const path of not) assert.is(await read(path), 403, path)
  })
}

test.run()
