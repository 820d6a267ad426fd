import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadConfig } from '../../runtime/connection/connection.ts'
import { quoted, writeOrchconfig } from '../../tools/orch/orchconfig.ts'
import { tempDirectory } from '../support/temp.ts'

const orchconfig = suite('tools/orch: orchconfig')

const connection = { server: 'http://127.0.0.1:1', name: 'orch' }

orchconfig('is what the client reads, for its owner only, in a folder made for it', async () => {
  const file = join(tempDirectory(), 'a/b/orchconfig')
  await writeOrchconfig(file, connection)
  const { server, namespace } = await loadConfig(file)
  assert.equal([server, namespace], ['http://127.0.0.1:1', 'default'])
  assert.is((await stat(file)).mode & 0o777, 0o600)
})

orchconfig('replaces an older file and leaves nothing beside it', async () => {
  const folder = tempDirectory()
  const file = join(folder, 'orchconfig')
  await writeFile(file, 'old', { mode: 0o644 })
  await writeOrchconfig(file, connection)
  assert.match(await readFile(file, 'utf8'), 'kind: Config')
  assert.is((await stat(file)).mode & 0o777, 0o600)
  assert.equal(await readdir(folder), ['orchconfig'])
})

orchconfig('its path is quoted where a shell would read it otherwise', () => {
  assert.is(quoted('/a/b-c.d'), '/a/b-c.d')
  assert.is(quoted('/a b'), "'/a b'")
  assert.is(quoted("/it's"), "'/it'\\''s'")
})

orchconfig.run()
