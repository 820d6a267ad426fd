import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { optionTables } from '../../../../generated/options.ts'
import {
  configFiles,
  helpJson,
  helpRequested,
  parseOptions,
  versionRequested,
} from '../../../../runtime/config/config.ts'

const { completionScript } = await configFiles()

const completion = suite('runtime/config: completion and help as data')

const agent = await optionTables.orchlet!()

function completed(words: readonly string[]): readonly string[] {
  const script = `${completionScript(agent, 'bash', features)}
COMP_WORDS=(orchlet "$@"); COMP_CWORD=$#
_orchlet
printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8' })
  return out.split('\n').filter((line) => line !== '')
}

completion('bash completes flags, values and files', () => {
  if (!existsSync('/bin/bash')) return
  assert.equal(completed(['--max-p']), ['--max-pods'])
  assert.equal(completed(['--hairpin-mode', '=', 'p']), ['promiscuous-bridge'])
  assert.equal(completed(['--cgroup-driver', '']), ['cgroupfs', 'systemd'])
  assert.equal(completed(['--config', 'package-lock']), ['package-lock.json'])
})

completion('bash offers the values of a switch behind an equals sign only', () => {
  if (!existsSync('/bin/bash')) return
  assert.equal(completed(['--register-node', '=', '']), ['true', 'false'])
  assert.equal(completed(['--register-node', '=']), ['true', 'false'])
  assert.equal(completed(['--register-node', 't']), [])
  assert.equal(completed(['--register-node', '--max-p']), ['--max-pods'])
  assert.equal(completed(['--help', '=', 'j']), ['json'])
})

completion('bash completes the names of gates, and behind a name its values', () => {
  if (!existsSync('/bin/bash')) return
  const flag = '--feature-gates'
  assert.equal(completed([flag, '=', 'WatchLi']), ['WatchList='])
  assert.equal(completed([flag, 'AllA']), ['AllAlpha='])
  assert.equal(completed([flag, '=', 'WatchList', '=']), ['true', 'false'])
  assert.equal(completed([flag, '=', 'WatchList', '=', 'f']), ['false'])
  assert.equal(completed([flag, '=', 'WatchList', '=', 'true,AllB']), ['true,AllBeta='])
  assert.equal(completed([flag, '=', 'A', '=', 'true,AllBeta', '=', 't']), ['true'])
  assert.equal(completed([flag, '=', 'ServerSideAppl']), [])
  assert.equal(completed([flag, '=', 'WatchList', '=', 'true', '--max-p']), ['--max-pods'])
})

completion('zsh and fish offer the gates that can be switched', () => {
  const [zsh, fish] = [
    completionScript(agent, 'zsh', features),
    completionScript(agent, 'fish', features),
  ]
  assert.match(zsh, /_values -s , gate .*'AllAlpha:switch:\(true false\)'/)
  assert.match(zsh, /'--feature-gates=\[.*\]:value:_orchlet_gates'/)
  assert.match(
    fish,
    /-l feature-gates -x -a '\(__fish_append , .*AllAlpha=true AllAlpha=false .*\)'/,
  )
  assert.not.match(zsh, 'ServerSideApply:switch')
})

completion('zsh and fish have a line for every flag that can be typed', () => {
  const flags = agent.sections.flatMap(({ options }) => options.map(({ flag }) => flag))
  const [zsh, fish] = [completionScript(agent, 'zsh'), completionScript(agent, 'fish')]
  assert.match(zsh, /^#compdef orchlet\n/)
  for (const flag of flags) {
    assert.ok(zsh.includes(`  '--${flag}=`), flag)
    assert.ok(fish.includes(`complete -c orchlet -l ${flag} `), flag)
  }
  assert.match(fish, "-l cgroup-driver -x -a 'cgroupfs systemd' -d ")
})

completion('no description ends a quote', () => {
  for (const line of completionScript(agent, 'fish').split('\n')) {
    assert.is((line.match(/'/g)?.length ?? 0) % 2, 0, line)
  }
})

completion('--help=json gives the sections and flags as data', () => {
  const { options } = parseOptions(agent, ['--help=json'])
  const answer = helpRequested(agent, options, 80)
  assert.is(answer, helpJson(agent))
  const data = JSON.parse(answer!) as {
    daemon: string
    config: object
    sections: { name: string; options: { flag: string }[] }[]
  }
  assert.is(data.daemon, 'orchlet')
  assert.equal(data.config, {
    apiVersion: 'orchlet.config.orch.io/v1beta1',
    kind: 'OrchletConfiguration',
  })
  assert.is(data.sections.flatMap((section) => section.options).length, 133 - 1)
})

// D2.125 D2.292
completion('--version prints the version, raw, or the one given', () => {
  const answer = (...argv: string[]) =>
    versionRequested('orchlet', parseOptions(agent, argv).options, '1.29.0')
  assert.is(answer(), undefined)
  assert.is(answer('--version'), 'orchlet 1.29.0')
  assert.is(answer('--version=raw'), '1.29.0')
  assert.is(answer('--version=v1.2.3'), 'orchlet v1.2.3')
  assert.is(answer('--version=false'), undefined)
})

completion.run()
