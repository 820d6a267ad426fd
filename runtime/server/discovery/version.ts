import { arch, platform } from 'node:os'
import { versions } from 'node:process'
import type { Platform } from '../../kernel/descriptors/platform.ts'

/**
 * `/version`: the release whose API is served, and the machine that serves it. Fields that only a Go program has are filled
 * with what is nearest.
 */
export function versionDocument({ release }: Platform): object {
  const [major = '', minor = ''] = release.split('.')
  return {
    major,
    minor,
    gitVersion: `v${release}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${versions.node}`,
    compiler: `v8-${versions.v8}`,
    platform: `${platform()}/${arch() === 'x64' ? 'amd64' : arch()}`,
  }
}
