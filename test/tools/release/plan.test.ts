import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { planRelease, type ReleaseState } from '../../../tools/release/plan.ts'

const release = suite('tools/release: plan')

const state: ReleaseState = {
  changelog: '# Changelog\n\n## 0.2.0 (unreleased)\n\nNew.\n\n## 0.1.0 (2026-01-01)\n',
  manifest: '{\n  "name": "orch",\n  "version": "0.1.0",\n  "type": "module"\n}\n',
  tags: ['v0.1.0'],
  uncommitted: [],
}

release('the unreleased version of the changelog is dated and goes into the manifest', () => {
  assert.equal(planRelease(state, '2026-02-03'), {
    version: '0.2.0',
    tag: 'v0.2.0',
    changelog: '# Changelog\n\n## 0.2.0 (2026-02-03)\n\nNew.\n\n## 0.1.0 (2026-01-01)\n',
    manifest: '{\n  "name": "orch",\n  "version": "0.2.0",\n  "type": "module"\n}\n',
  })
})

const refusals: readonly (readonly [string, Partial<ReleaseState>, RegExp])[] = [
  ['nothing is unreleased', { changelog: '## 0.2.0 (2026-01-01)\n' }, /has no heading/],
  ['a file is not committed', { uncommitted: ['a.ts'] }, /not committed: a\.ts/],
  ['the tag exists', { tags: ['v0.2.0'] }, /v0\.2\.0 exists/],
  ['a later version is out', { tags: ['v0.10.0'] }, /0\.2\.0 is not above v0\.10\.0/],
  [
    'a candidate follows its release',
    { changelog: '## 0.1.0-rc.2 (unreleased)\n' },
    /not above v0\.1\.0/,
  ],
]

for (const [name, change, problem] of refusals) {
  release(`no release is made when ${name}`, () => {
    const plan = planRelease({ ...state, ...change }, '2026-02-03')
    assert.ok(Array.isArray(plan))
    assert.match((plan as readonly string[]).join('\n'), problem)
  })
}

release('a release follows its candidates, the tenth after the ninth', () => {
  const changelog = '## 0.1.0-rc.10 (unreleased)\n'
  assert.not(Array.isArray(planRelease({ ...state, changelog, tags: ['v0.1.0-rc.9'] }, 'd')))
  assert.not(Array.isArray(planRelease({ ...state, tags: ['v0.2.0-rc.9'] }, 'd')))
})

release.run()
