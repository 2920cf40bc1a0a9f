import { render } from "preact"
import { Page } from "./page/Page.tsx"

const root = document.getElementById("page")
if (root !== null) render(<Page />, root)
