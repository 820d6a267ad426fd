/** On a node of an ordinary user, kubectl reads logs of pods, runs commands in them, debugs them, copies, forwards ports and asks nodes, in each version that is there. I-06, Z-17, G-02 */
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { Attach, Exec, KubeConfig, PortForward, type V1Status } from '@kubernetes/client-node'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { orchCommand, ordinaryUser, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { atTerminal, hasTerminals, type Terminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: pods and kubectl')
const usual = defaultKubectl()
const binaries = versionedKubectls()

if (usual === undefined) console.log('SKIP pods and kubectl: there is no kubectl in PATH')
else describe(usual, binaries.length === 0 ? [usual] : binaries)

const script = 'trap "exit 0" TERM; echo begun; while true; do echo tick; sleep 1; done'
const web =
  "require('http').createServer((q, s) => s.end('served ' + q.url)).listen(process.env.PORT)"

function describe(program: string, programs: readonly string[]): void {
  let running: Running
  let usualCtl: Kubectl
  let port: number
  let told = ''
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')

  tests.before(async () => {
    port = await freePort()
    if (ordinaryUser !== undefined) chownSync(home, ordinaryUser, ordinaryUser)
    // Other clusters on this machine have other ranges.
    const words = [
      ...['up', '--node', '--orchconfig', orchconfig],
      ...['--service-cluster-ip-range', '127.77.92.0/24'],
      ...['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    ]
    running = await startProgram(orchCommand, words, undefined, ordinaryUser)
    running.process.stdout?.on('data', (text: string) => {
      told += text
    })
    usualCtl = kubectl(program, orchconfig, home)
    const pod = (name: string, container: object, more: object = {}) => ({
      ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name } },
      spec: { terminationGracePeriodSeconds: 1, containers: [container], ...more },
    })
    const main = { name: 'main', image: 'host/sh', args: ['-c', script] }
    const served = {
      ...{ name: 'main', image: 'host/node', args: ['-e', web] },
      ...{ env: [{ name: 'PORT', value: String(port) }], ports: [{ containerPort: port }] },
    }
    const once = { name: 'main', image: 'host/sh', args: ['-c', 'echo ended; exit 3'] }
    const all = [
      pod('ticks', main),
      pod('two', main, { containers: [main, { ...main, name: 'side' }] }),
      pod('web', served),
      pod('again', once, { restartPolicy: 'Always' }),
      pod('absent', { ...main, image: 'registry.invalid/none' }),
      pod('shell', { name: 'main', image: 'host/sh', stdin: true, tty: true }),
    ]
    await usualCtl.ok('create -f -', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: all }))
    await usualCtl.ok(`wait --for=condition=Ready pod/ticks pod/two pod/web pod/shell ${hangFlag}`)
    await until('it ticks', async () => /^tick$/m.test(await usualCtl.ok('logs ticks')))
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
    assert.not(existsSync(join(home, 'node')), 'nothing of the node is left')
  })

  for (const binary of programs) {
    const version = /1\.\d+$/.exec(binary)?.[0] ?? 'the usual version'
    const cli = () => kubectl(binary, orchconfig, home)

    tests(`${version} reads and follows logs`, async () => {
      const ctl = cli()
      assert.match(await ctl.ok('logs ticks'), /^begun\ntick\n/)
      assert.is(await ctl.ok('logs ticks --limit-bytes=3'), 'beg')
      assert.is(await ctl.ok('logs ticks --tail=1'), 'tick\n')
      assert.match(await ctl.ok('logs ticks --tail=1 --timestamps'), /^\d{4}-\S+Z tick\n$/)
      const following = ctl.follow('logs ticks --follow --tail=0')
      await following.printed(/tick\ntick/)
      await following.stop()
    })

    tests(`${version} runs commands, with input and exit codes`, async () => {
      const ctl = cli()
      assert.is(await ctl.ok('exec ticks -- echo here'), 'here\n')
      assert.is(await ctl.ok('exec -i ticks -- cat', 'some input'), 'some input')
      const failed = await ctl.run('exec ticks -- cat /nowhere')
      assert.is(failed.code, 1)
      assert.match(failed.stderr, 'No such file')
      assert.match(failed.stderr, 'command terminated with exit code 1')
      const large = 'x'.repeat(1_000_000)
      assert.is(await ctl.ok('exec -i ticks -- cat', large), large)
    })

    tests(`${version} attaches to what runs`, async () => {
      const attached = cli().follow('attach ticks')
      await attached.printed(/tick\ntick/)
      await attached.stop()
    })

    tests(`${version} copies files both ways`, async () => {
      const ctl = cli()
      const [from, to] = [join(home, 'from'), join(home, `to-${version}`)]
      writeFileSync(from, 'what is copied')
      await ctl.ok(`cp ${from} ticks:/tmp/copied`)
      await ctl.ok(`cp ticks:/tmp/copied ${to}`)
      assert.is(readFileSync(to, 'utf8'), 'what is copied')
    })

    tests(`${version} forwards ports`, async () => {
      const local = await freePort()
      const forwarding = cli().follow(`port-forward pod/web ${local}:${port}`)
      await forwarding.printed(/Forwarding from/)
      assert.is(await fetched(local, '/one'), 'served /one')
      assert.is(await fetched(local, '/two'), 'served /two')
      await forwarding.stop()
    })
  }

  for (const binary of [...new Set([programs.at(0), programs.at(-1)])]) {
    if (binary === undefined) continue
    const version = /1\.\d+$/.exec(binary)?.[0] ?? 'the usual version'
    const suffix = version.replace(/\W/g, '')
    const cli = () => kubectl(binary, orchconfig, home)

    tests(`${version} debugs a pod, a copy of it, and its node`, async () => {
      const ctl = cli()
      const debugged = (line: string, script: string) =>
        ctl.ok(`debug ${line} -i --image=host/sh`, `${script}; exit\n`)
      const beside = `ticks --target=main -c debugger-${suffix}`
      assert.match(await debugged(beside, 'echo beside'), 'beside')
      const kept = await ctl.ok('get pod ticks -o jsonpath={.spec.ephemeralContainers[*].name}')
      assert.match(kept, `debugger-${suffix}`)
      const copied = `ticks --copy-to=copy-${suffix} -c debugger`
      assert.match(await debugged(copied, 'echo in a copy'), 'in a copy')
      const [node = ''] = (await ctl.ok('get nodes -o name')).split('\n')
      assert.match(await debugged(node, 'ls /host'), /^etc$/m)
      await ctl.ok(`delete pod copy-${suffix} --now --wait=false`)
    })
  }

  for (const binary of hasTerminals ? new Set([programs.at(0), programs.at(-1)]) : []) {
    if (binary === undefined) continue
    const version = /1\.\d+$/.exec(binary)?.[0] ?? 'the usual version'
    const sitting = (words: string) => {
      const env = { KUBECONFIG: orchconfig, HOME: home }
      const command = `${binary} --cache-dir ${join(home, 'cache')} ${words}`
      return atTerminal(command, { rows: 33, columns: 101, env })
    }

    tests(`${version} sits at a terminal of a pod`, async () => {
      const shell = await sitting('exec -it ticks -- sh')
      await shell.shows(/[#$] $/)
      shell.type('tty\r')
      await shell.shows(/\n\/dev\/pts\/\d+\r\n/)
      await hasSize(shell, '33 101')
      shell.resize(44, 99)
      await hasSize(shell, '44 99')
      // A shell that is about to start a program may miss an interrupt; one that copies lines has started.
      shell.type('cat\r')
      shell.type('copied\r')
      await shell.shows(/copied\r\n[^c]*copied\r\n/)
      shell.type('\x03')
      // An interrupt drops what was typed behind it and not read yet.
      await shell.shows(/\^C\s+[#$] $/)
      shell.type('echo $?""!\r')
      await shell.shows(/130!/)
      shell.type('exit 7\r')
      assert.is(await shell.ended, 7)
    })

    tests(`${version} attaches a terminal, and runs a pod at one`, async () => {
      const attached = await sitting('attach -it shell')
      await hasSize(attached, '33 101')
      const name = `once-${version.replace(/\W/g, '')}`
      const once = await sitting(`run -it --rm ${name} --image=host/sh --restart=Never`)
      once.type('echo typ""ed\r')
      await once.shows(/\ntyped\r\n/)
      once.type('\x04')
      await once.shows(/pod "\S+" deleted/)
      assert.is(await once.ended, 0)
      attached.type('\x04')
      await attached.ended
    })
  }

  tests(
    'a pod finds the API by the files of its account, and there is said what the node is made of',
    async () => {
      const asks = `const { get } = require('https'); const { readFileSync: read } = require('fs')
      const folder = '/var/run/secrets/kubernetes.io/serviceaccount/'
      const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
      const headers = { authorization: 'Bearer ' + read(folder + 'token') }
      get({ host, port, path: '/api/v1/pods', ca: read(folder + 'ca.crt'), headers }, (r) => r.pipe(process.stdout))`
      assert.match(
        await usualCtl.ok('exec -i web -- node -', asks),
        'User \\"system:serviceaccount:default:default\\" cannot list resource',
      )
      if (process.getuid?.() !== 0 || ordinaryUser !== undefined) {
        assert.match(
          told,
          /^services are led by userland listeners: tables of nftables are for root$/m,
        )
      }
      assert.match(told, /^containers are run by .+/m)
    },
  )

  // CL-12
  tests('the JavaScript client does so over websockets', async () => {
    const config = new KubeConfig()
    config.loadFromFile(orchconfig)
    const [output, errors] = [gathered(), gathered()]
    const script = 'cat; echo failed >&2; exit 4'
    const status = await new Promise<V1Status>((resolve, reject) => {
      const command = ['sh', '-c', script]
      const input = Readable.from([Buffer.from('some input')])
      new Exec(config)
        .exec('default', 'ticks', 'main', command, output, errors, input, false, resolve)
        .catch(reject)
    })
    assert.equal([output.text(), errors.text()], ['some input', 'failed\n'])
    assert.is(status.details?.causes?.[0]?.message, '4')
    const ticks = gathered()
    const attached = await new Attach(config).attach(
      ...(['default', 'ticks', 'main', ticks, null, null, false] as const),
    )
    await until('it ticks', () => ticks.text().includes('tick\ntick'))
    attached.close()
    const [answer, input] = [gathered(), new PassThrough()]
    const forwarding = new PortForward(config)
    const forwarded = await forwarding.portForward('default', 'web', [port], answer, null, input)
    input.write('GET /js HTTP/1.0\r\n\r\n')
    await until('it is served', () => answer.text().endsWith('served /js'))
    if (typeof forwarded !== 'function') forwarded.close()
  })

  tests('two that attach to one container both see all of it', async () => {
    const both = [usualCtl.follow('attach two -c main'), usualCtl.follow('attach two -c main')]
    for (const one of both) await one.printed(/(tick\n){2}/)
    for (const one of both) await one.stop()
  })

  tests('a log that is not there says why', async () => {
    const refused = async (line: string) => (await usualCtl.run(line)).stderr
    assert.match(
      await refused('logs ticks --previous'),
      '(BadRequest): previous terminated container "main" in pod "ticks" not found',
    )
    await until('its image is not there', async () =>
      /waiting to start: (image can't be pulled|trying and failing to pull image)/.test(
        await refused('logs absent'),
      ),
    )
    const path = '/api/v1/namespaces/default/pods'
    assert.match(
      await refused(`get --raw ${path}/two/log`),
      'a container name must be specified for pod two, choose one of: [main side]',
    )
    assert.match(
      await refused(`get --raw ${path}/two/log?container=other`),
      'container other is not valid for pod two',
    )
    assert.match(
      await refused(`get --raw ${path}/ticks/log?tailLines=-4`),
      'tailLines: Invalid value: -4: must be greater than or equal to 0',
    )
    assert.match(
      await refused(`get --raw ${path}/ticks/exec?command=ls&stdout=1`),
      'Upgrade request required',
    )
  })

  tests('the log of the run before is kept', async () => {
    await until('it was started again', async () => {
      const { code, stdout } = await usualCtl.run('logs again --previous')
      return code === 0 && stdout === 'ended\n'
    })
  })

  tests('requests are passed on to pods and nodes, and not to the server itself', async () => {
    const node = await usualCtl.ok('get nodes -o jsonpath={.items[0].metadata.name}')
    const pod = '/api/v1/namespaces/default/pods/web'
    assert.is(await usualCtl.ok(`get --raw ${pod}/proxy/a/b?c=d`), 'served /a/b?c=d')
    assert.is(await usualCtl.ok(`get --raw /api/v1/nodes/${node}/proxy/healthz`), 'ok')
    const pods = JSON.parse(await usualCtl.ok(`get --raw /api/v1/nodes/${node}/proxy/pods`))
    assert.ok(
      pods.items.some(({ metadata }: { metadata: { name: string } }) => metadata.name === 'web'),
    )
    const summary = await usualCtl.ok(`get --raw /api/v1/nodes/${node}/proxy/stats/summary`)
    assert.is(JSON.parse(summary).node.nodeName, node)
    assert.match(
      await usualCtl.ok(`get --raw /api/v1/nodes/${node}/proxy/metrics/resource`),
      /^pod_memory_working_set_bytes\{namespace="default",pod="ticks"\} \d+ \d+$/m,
    )
  })
}

/** Asks the shell at a terminal until it has that size, of which it is told beside what is typed. */
function hasSize(shell: Terminal, size: string): Promise<unknown> {
  return until(`its size is ${size}`, async () => {
    shell.type('stty size\r')
    // What is typed may be shown before the shell asks for it.
    return (await shell.shows(/(?:\n|[#$] )(\d+ \d+)\r\n/))[1] === size
  })
}

/** Keeps what is written to it. */
function gathered(): Writable & { text(): string } {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part)
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(parts).toString() })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** What is served at a local port. */
function fetched(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve(text))
    })
    asked.on('error', reject)
    asked.end()
  })
}

tests.run()
