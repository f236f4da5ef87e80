/** Style with the color-blind safe palette of Okabe and Ito, in light and dark variants. */
export const STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1b1b;--faint:#ddd;--c0:#d55e00;--c1:#0072b2;--c2:#009e73;--c3:#cc79a7;--down:#888;--h0:#e6f0f7;--h1:#b5d4e9;--h2:#6baed6;--h3:#fdbe6f;--h4:#e8743b;--h5:#a50f15}
@media (prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e6e6;--faint:#3a3d42;--c0:#ff8c42;--c1:#56b4e9;--c2:#2fd09b;--c3:#e39ac0;--down:#666;--h0:#1d2a33;--h1:#24506e;--h2:#2f86b8;--h3:#b9812f;--h4:#e8743b;--h5:#ff4d4d}}
body{background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.6rem}dt{opacity:.7;font-size:.85em}dd{margin:0}
figure{margin:1.6rem 0}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--text)}
.marker path{stroke:var(--text);opacity:.35;stroke-dasharray:2 3}.marker text{font-size:10px;opacity:.75}text.name{font-size:10px}
.grid{stroke:var(--faint)}.limit{stroke:var(--c0);stroke-dasharray:4 4}.line{fill:none;stroke-width:1.6}
.line-0{stroke:var(--c0)}.line-1{stroke:var(--c1)}.line-2{stroke:var(--c2)}.line-3{stroke:var(--c3)}
.key{display:inline-block;width:.8em;height:.8em;margin-right:.35em;border-radius:2px}
.key-0{background:var(--c0)}.key-1{background:var(--c1)}.key-2{background:var(--c2)}.key-3{background:var(--c3)}
.heat--1{fill:var(--down);background:var(--down)}.heat-0{fill:var(--h0);background:var(--h0)}.heat-1{fill:var(--h1);background:var(--h1)}.heat-2{fill:var(--h2);background:var(--h2)}.heat-3{fill:var(--h3);background:var(--h3)}.heat-4{fill:var(--h4);background:var(--h4)}.heat-5{fill:var(--h5);background:var(--h5)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid var(--faint)}
`;
