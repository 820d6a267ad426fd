/** The server over both drivers of SQLite: the package, and what Node has built in where the package is not there. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { builtInSqlite } from '../../runtime/store/sqlite/built-in-driver.ts'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('daemons: sqlite drivers')

const folder = tempDirectory()
const args = ['--insecure-port=0', `--storage=sqlite:${join(folder, 'store.db')}`]
const maps = '/api/v1/namespaces/default/configmaps'

/** Has Node find no package `sqlite3`, as where it was not built. */
const hide = join(folder, 'hide.mjs')
const hook = `export async function resolve(name, context, next) {
  if (name === 'sqlite3') throw new Error("Cannot find package 'sqlite3'")
  return next(name, context)
}`
const hookUrl = JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)
writeFileSync(hide, `import { register } from 'node:module'\nregister(${hookUrl})`)
const withoutPackage = [`--import=${hide}`, apiserverCommand] as const

/** Starts a server, creates one object by it, and gives the names of all that are there. */
async function namesAfterOneMore(node: readonly string[], name: string): Promise<string[]> {
  const [first = '', ...rest] = node
  const running = await startProgram(first, [...rest, ...args])
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ metadata: { name } })
  const created = await fetch(running.url + maps, { method: 'POST', headers, body })
  assert.is(created.status, 201)
  const list = (await (await fetch(running.url + maps)).json()) as {
    items: { metadata: { name: string } }[]
  }
  assert.is(await running.stop(), 0)
  return list.items.map(({ metadata }) => metadata.name).filter((one) => one.startsWith('by-'))
}

test('the server keeps objects by the package', async () => {
  assert.equal(await namesAfterOneMore([apiserverCommand], 'by-package'), ['by-package'])
})

if (builtInSqlite() === undefined) {
  test('where there is neither the server says what to install', async () => {
    const { code, stderr } = await runNode(withoutPackage[0], [...withoutPackage.slice(1), ...args])
    assert.is(code, 1)
    assert.match(stderr, 'objects cannot be kept in a file without the SQLite driver')
    assert.match(stderr, 'run npm install sqlite3')
  })
} else {
  test('without the package it serves the same file by the SQLite of Node, and with it again', async () => {
    const both = ['by-node', 'by-package']
    assert.equal(await namesAfterOneMore(withoutPackage, 'by-node'), both)
    assert.equal(await namesAfterOneMore([apiserverCommand], 'by-package-again'), [
      ...both,
      'by-package-again',
    ])
  })
}

test.run()
