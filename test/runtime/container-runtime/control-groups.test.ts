import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openControlGroups } from '../../../runtime/container-runtime/container-runtime.ts'
import { tempDirectory } from '../../support/temp.ts'

const groups = suite('runtime/container-runtime: control groups')

groups('nothing of a group is left, in trees of others either', () => {
  const root = tempDirectory()
  for (const name of ['cpu', 'memory', 'pids', 'unified', 'freezer']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'cgroup.procs'), '')
  }
  const opened = openControlGroups(root)
  if (typeof opened === 'string') throw new Error(opened)
  for (const pod of ['a', 'b']) opened.make(`pods/besteffort/${pod}`, {})
  for (const path of ['unified/pods/besteffort/a/c', 'freezer/pods/besteffort/a', 'freezer/pods/b'])
    mkdirSync(join(root, path), { recursive: true })
  opened.remove('pods/besteffort/a')
  assert.not(existsSync(join(root, 'unified/pods')))
  assert.not(existsSync(join(root, 'freezer/pods/besteffort')))
  assert.ok(existsSync(join(root, 'freezer/pods/b')))
  assert.not(existsSync(join(root, 'cpu/pods/besteffort/a')))
  assert.ok(existsSync(join(root, 'cpu/pods/besteffort/b')))
})

groups.run()
