import type { Section } from "../Section.ts"
import { ceiling } from "./ceiling.ts"
import { connect } from "./connect.ts"
import { growth } from "./growth.ts"
import { latency } from "./latency.ts"
import { many } from "./many.ts"
import { memory } from "./memory.ts"
import { restart } from "./restart.ts"
import { stats } from "./stats.ts"
import { throughput } from "./throughput.ts"

export const sections = {
  throughput,
  latency,
  ceiling,
  connect,
  many,
  restart,
  memory,
  growth,
  stats
} satisfies Record<string, Section>

export type SectionName = keyof typeof sections

export const sectionNames = Object.keys(sections) as ReadonlyArray<SectionName>
