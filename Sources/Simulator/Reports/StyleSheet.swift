/// The style of the report: system fonts, light and dark, one column on a phone.
enum StyleSheet {
  static let text = """
    :root {
      color-scheme: light dark;
      --paper: #fbfbf9; --card: #fff; --ink: #1c1e21; --soft: #5f6670; --line: #e3e4e0; --mark: #f2b84b;
      --a: #2563a8; --b: #c2571a; --c: #3d7f4e; --d: #8a4fa3; --good: #2f7d46; --bad: #b3261e; --open: #8a6d1a;
      --street: #e9e9e4; --artery: #d9d9d2; --zone: #9aa1ab;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #15171a; --card: #1c1f23; --ink: #e6e7e9; --soft: #9aa1ab; --line: #2d3137; --mark: #a9782a;
        --a: #6fa8e6; --b: #e89058; --c: #74b987; --d: #bd8bd3; --good: #6cc085; --bad: #f2857c; --open: #d5b45a;
        --street: #262a2f; --artery: #343a41; --zone: #6b727c;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
      font-variant-numeric: tabular-nums;
    }
    main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
    header { padding-top: 36px; }
    h1 { font-size: 30px; line-height: 1.2; letter-spacing: -0.015em; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 19px; letter-spacing: -0.01em; margin: 44px 0 12px; }
    h3 { font-size: 15px; margin: 0; }
    p { margin: 0; }
    .soft, figcaption p, caption { color: var(--soft); }
    .verdict { display: inline-block; margin: 14px 0 6px; padding: 3px 12px; border-radius: 999px; color: #fff;
      font-weight: 600; }
    .verdict.good { background: #2f7d46; } .verdict.bad { background: #b3261e; } .verdict.open { background: #806414; }
    .numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 1px; margin-top: 22px;
      border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--card); }
    .numbers div { box-shadow: 0 0 0 1px var(--line); padding: 12px 16px; }
    .numbers dt { color: var(--soft); font-size: 13px; } .numbers dd { margin: 0; font-size: 22px; font-weight: 600; }
    .numbers .bad dd { color: var(--bad); }
    .charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 18px; }
    .charts figure:last-child:nth-child(odd) { grid-column: 1 / -1; }
    figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
    figcaption p { font-size: 13px; }
    .legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 13px; min-height: 20px; margin: 4px 0 8px; }
    .key::before { content: ""; display: inline-block; width: 14px; height: 3px; border-radius: 2px; margin-right: 6px;
      vertical-align: 4px; background: var(--key); }
    .key.dot::before { height: 10px; width: 10px; border-radius: 50%; vertical-align: 0; }
    .key.zone::before { height: 10px; background: var(--zone); opacity: 0.6; vertical-align: 0; }
    .key.fault::before { height: 10px; background: var(--mark); opacity: 0.7; vertical-align: 0; }
    .a { --key: var(--a); } .b { --key: var(--b); } .c { --key: var(--c); } .d { --key: var(--d); }
    .plot { display: grid; grid-template-columns: 62px minmax(0, 1fr); }
    .plot svg { width: 100%; height: 160px; display: block; border-bottom: 1px solid var(--line); overflow: visible; }
    .plot .y { border: 0; }
    .y text, .axis text { fill: var(--soft); font-size: 12px; }
    .x { display: flex; justify-content: space-between; font-size: 12px; color: var(--soft); margin: 4px 0 0 62px; }
    .axis { display: block; width: calc(100% - 62px); height: 18px; margin-left: 62px; overflow: visible; }
    .line { fill: none; stroke: var(--key); stroke-width: 1.6; vector-effect: non-scaling-stroke;
      stroke-linejoin: round; }
    path.under { fill: var(--key); opacity: 0.14; }
    .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .mark { fill: var(--mark); opacity: 0.2; } .bar { fill: var(--a); }
    .drawing { touch-action: pan-y pinch-zoom; user-select: none; cursor: crosshair; }
    .at { stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke; pointer-events: none; }
    .selection { fill: var(--a); opacity: 0.2; pointer-events: none; }
    .key b { font-weight: 600; }
    .zoom:not([hidden]) { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center;
      gap: 6px 14px; margin: 0 -4px; padding: 8px 4px; background: var(--paper); font-size: 13px; }
    .zoom span { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
    .zoom button, .zoom input:not([type]) { font: inherit; min-height: 28px; padding: 2px 10px; color: var(--ink);
      background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
    .zoom button { cursor: pointer; } .zoom button:hover { border-color: var(--soft); }
    .zoom label { display: flex; align-items: center; gap: 6px; } .zoom output { min-width: 6ch; }
    .zoom input { accent-color: var(--a); } .zoom input:invalid { border-color: var(--bad); }
    .zoom :focus-visible, .wide:focus-visible, .enlarge :focus-visible { outline: 2px solid var(--a);
      outline-offset: 2px; }
    .hover rect { fill: transparent; height: 100%; } .hover rect:hover { fill: var(--soft); opacity: 0.12; }
    .faults { display: grid; grid-template-columns: minmax(80px, max-content) minmax(0, 1fr) max-content; gap: 6px 14px;
      align-items: center; font-size: 13px; }
    .faults svg { width: 100%; height: 10px; display: block; background: var(--line); border-radius: 3px; }
    .faults .mark { opacity: 0.9; }
    .map svg { width: 100%; height: auto; max-height: 640px; display: block; border-radius: 6px; }
    .street { fill: none; stroke: var(--street); stroke-width: 1; } .artery { stroke: var(--artery); stroke-width: 2; }
    .track { fill: none; stroke: var(--key); stroke-width: 1.5; opacity: 0.75; stroke-linejoin: round;
      stroke-linecap: round; }
    .track:hover { opacity: 1; stroke-width: 3; } .spot { fill: var(--key); stroke: var(--card); stroke-width: 1; }
    .area.zone { fill: var(--zone); opacity: 0.4; } .area.place { fill: var(--mark); opacity: 0.18; stroke: var(--mark);
      stroke-width: 1.5; stroke-opacity: 0.9; }
    .ruler { stroke: var(--soft); stroke-width: 2; } .ruler-text { fill: var(--soft); font-size: 12px; }
    .wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
    table { border-collapse: collapse; width: 100%; }
    caption { text-align: left; padding: 12px 16px 4px; font-size: 13px; }
    th, td { text-align: right; padding: 7px 16px; border-top: 1px solid var(--line); font-weight: 400;
      white-space: nowrap; }
    thead th { border-top: 0; color: var(--soft); font-size: 13px; }
    td:last-child { white-space: normal; }
    th:first-child { text-align: left; } .words td { text-align: left; } .words thead th { text-align: left; }
    .words td, .words th { white-space: normal; overflow-wrap: break-word; } .words tbody th { min-width: 18ch; }
    .words td:nth-child(n+2) { min-width: 8ch; }
    .good td:last-child { color: var(--good); } .bad td:last-child, .bad th { color: var(--bad); }
    .open td:last-child, .open th { color: var(--soft); }
    .compared :is(th, td):last-child { text-align: left; width: 34%; }
    .story { margin: 12px 0 0; padding: 12px 16px; border-left: 3px solid var(--bad); background: var(--card);
      overflow-x: auto; }
    .story ol { margin: 6px 0 0; padding-left: 20px; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
    .story h3 { overflow-wrap: anywhere; }
    code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    .gap { margin-top: 18px; }
    .enlarge { float: right; margin-left: 12px; color: var(--soft); font-size: 12px; cursor: pointer; }
    .enlarge input { margin: 0 5px 0 0; vertical-align: -2px; accent-color: var(--a); }
    .minor { display: none; }
    .chart:has(.enlarge :checked) { grid-column: 1 / -1; }
    .chart:has(.enlarge :checked) .plot svg { height: min(460px, 70vh); }
    @media (min-width: 761px) { .chart:has(.enlarge :checked) .minor { display: inline; } }
    .missed { margin: 2px 0 0; padding-left: 20px; color: var(--bad); }
    details { margin: 8px 0 0; font-size: 13px; overflow-wrap: anywhere; }
    pre { margin: 6px 0 0; padding: 10px 14px; background: var(--card); white-space: pre-wrap; overflow-wrap: anywhere; }
    footer { padding-top: 28px; padding-bottom: 48px; color: var(--soft); font-size: 13px; }
    @media (max-width: 760px) {
      .charts { grid-template-columns: minmax(0, 1fr); }
      header { padding-top: 22px; } h1 { font-size: 24px; }
      main, header, footer { padding-left: 14px; padding-right: 14px; }
      figure { padding: 12px; } th, td { padding: 7px 12px; } .numbers dd { font-size: 19px; }
      .plot { grid-template-columns: 54px minmax(0, 1fr); } .x { margin-left: 54px; }
      .axis { width: calc(100% - 54px); margin-left: 54px; } .zoom:not([hidden]) { position: static; }
    }
    @media (max-width: 480px) {
      .axis .odd, .x span:nth-child(4n+3) { display: none; }
      th, td { padding: 6px 5px; font-size: 12px; } th:first-child, td:first-child { padding-left: 10px; }
      tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 118px; } .words tbody th { min-width: 12ch; }
      .stacked, .stacked tbody, .stacked caption { display: block; }
      .stacked thead { position: absolute; clip-path: inset(50%); }
      .stacked tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 3px 12px; padding: 8px 12px;
        border-top: 1px solid var(--line); }
      .stacked tbody :is(th, td) { padding: 0; border: 0; text-align: left; width: auto; min-width: 0; }
      .stacked tbody th { grid-column: 1 / -1; font-weight: 600; } .stacked td:last-child { grid-column: 1 / -1; }
      .stacked td::before { content: attr(data-head); display: block; color: var(--soft); font-size: 11px; }
      .stacked td:empty { display: none; }
      .compared .stacked thead { position: static; display: block; clip-path: none; }
      .compared .stacked thead tr { border: 0; padding-bottom: 0; }
      .compared .stacked thead :is(th:first-child, th:last-child), .compared td::before { display: none; }
      .compared .stacked th { padding: 0; text-align: left; } .compared .stacked td:last-child { width: auto; }
      .zoom button { padding: 2px 6px; font-size: 12px; }
    }
    @media print { .hover, .enlarge, .zoom:not([hidden]) { display: none; } figure { break-inside: avoid; } }
    """
}
