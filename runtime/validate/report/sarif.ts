import type { Log, PhysicalLocation } from 'sarif'
import type { Finding } from '../rules/finding.ts'
import { type RuleId, rules } from '../rules/rule.ts'
import { fingerprints } from './fingerprint.ts'
import type { Run } from './report.ts'

/** SARIF 2.1.0. A finding without a position has no region. */
export function sarifReport({ findings, version }: Run): string {
  const ids = Object.keys(rules) as RuleId[]
  const known = fingerprints(findings)
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'orch validate',
            semanticVersion: version,
            rules: ids.map((id) => ({
              id,
              shortDescription: { text: rules[id].about },
              help: { text: rules[id].remedy },
              defaultConfiguration: { level: rules[id].severity },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: finding.severity,
          message: { text: finding.message },
          locations: [
            {
              physicalLocation: physicalLocation(finding),
              ...(finding.path !== undefined && {
                logicalLocations: [{ fullyQualifiedName: finding.path }],
              }),
            },
          ],
          ...(finding.related && {
            relatedLocations: finding.related.map((one) => ({
              physicalLocation: physicalLocation(one),
              message: { text: one.message },
            })),
          }),
          partialFingerprints: { 'orchFinding/v1': known[index] ?? '' },
        })),
      },
    ],
  }
  return JSON.stringify(log, null, 2)
}

function physicalLocation({ file, at }: Pick<Finding, 'file' | 'at'>): PhysicalLocation {
  return {
    artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
    ...(at && { region: { startLine: at.line, startColumn: at.column } }),
  }
}
