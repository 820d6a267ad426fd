import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openControlGroups } from '../../../runtime/container-runtime/container-runtime.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

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

/** The kernel's folders have their files from the beginning; here they come with what is written. */
groups('version 2 has one tree, in which each group lets those below it be limited', () => {
  const root = tempDirectory()
  writeFileSync(join(root, 'cgroup.controllers'), 'cpuset cpu io memory hugetlb\n')
  writeFileSync(join(root, 'cgroup.procs'), '')
  const opened = openControlGroups(root)
  if (typeof opened === 'string') throw new Error(opened)
  const limits = { cpuShares: 512, cpuPeriod: 100_000, cpuQuota: 50_000, memoryBytes: 2 ** 26 }
  opened.make('pods/burstable/a/main', { ...limits, processes: 20 })
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  for (const above of ['.', 'pods', 'pods/burstable', 'pods/burstable/a']) {
    assert.is(read(`${above}/cgroup.subtree_control`), '+cpu +memory', above)
  }
  assert.not(existsSync(join(root, 'pods/burstable/a/main/cgroup.subtree_control')))
  assert.equal(
    ['cpu.weight', 'cpu.max', 'memory.max'].map((file) => read(`pods/burstable/a/main/${file}`)),
    ['20', '50000 100000', '67108864'],
  )
  assert.not(
    existsSync(join(root, 'pods/burstable/a/main/pids.max')),
    'there is no such controller',
  )
  assert.equal(opened.joinFiles('pods/burstable/a/main'), [
    join(root, 'pods/burstable/a/main/cgroup.procs'),
  ])
  const events = join(root, 'pods/burstable/a/main/memory.events')
  assert.is(opened.outOfMemory('pods/burstable/a/main'), 0)
  writeFileSync(events, 'low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 0\n')
  assert.is(opened.outOfMemory('pods/burstable/a/main'), 1)
})

/** Where groups of version 2 are mounted here. The kernel gives each controller to one version only: which of them there are is the machine's. */
const unified = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/self/mounts', 'utf8'))?.[1]
const canTry = unified !== undefined && typeof openControlGroups(unified) !== 'string'
if (!canTry) console.log('SKIP groups of version 2 by the kernel: none can be made here')
const byKernel = canTry ? groups : groups.skip

byKernel('a process is in its group of version 2, which goes after it', async () => {
  const root = unified as string
  const opened = openControlGroups(root)
  if (typeof opened === 'string') throw new Error(opened)
  const pod = `orch-test-${process.pid}`
  opened.make(`${pod}/main`, { memoryBytes: 2 ** 26, processes: 20, cpuShares: 512 })
  const [file = ''] = opened.joinFiles(`${pod}/main`)
  const script = 'echo $$ > "$0"; echo "$(cat /proc/self/cgroup)"; read -r x'
  const child = spawn('sh', ['-c', script, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  assert.match(String(said), new RegExp(`^0::.*/${pod}/main$`, 'm'))
  opened.remove(pod)
  assert.ok(existsSync(file), 'a group with processes stays')
  for (const [name, limit] of [
    ['memory.max', '67108864'],
    ['pids.max', '20'],
    ['cpu.weight', '20'],
  ] as const) {
    const set = join(root, pod, 'main', name)
    if (existsSync(set)) assert.is(readFileSync(set, 'utf8').trim(), limit)
    else console.log(`SKIP ${name}: version 2 does not have its controller here`)
  }
  child.stdin.end('\n')
  await once(child, 'close')
  await until('the group can go', () => {
    opened.remove(pod)
    return !existsSync(join(root, pod))
  })
})

groups.run()
