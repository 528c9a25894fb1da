"""Words whose full stop ends no sentence, of several languages together: nobody tells us which one is spoken.

Keys are folded (lower case) and have no final full stop; full stops and spaces inside are as in "z.b" for "z. B.".
Chosen by hand from what models write; a word that is an everyday word of another language ("no", "max", "art") is only
in the class that asks for more evidence.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    "mr mrs ms mx mt ft dr dres prof profs rev hon gen col capt cpt lt sgt cpl pvt maj cmdr adm gov sen rep pres supt"
    " messrs mmes insp fr sr hr hrn frl dipl ing mag univ priv gebr mgr mme mlle mlles mm ste"
    " sra srta sres profa dña dra lic arq excmo excma ilmo mons cnel tte fray hl ud uds vd vds sto dn rvdo cap.gral"
)
"""Stand before a name; only where they begin with a capital."""

TITLES_EVEN_SMALL = _words("dr dra sr sra srta prof profa mr mrs ms hr hl cnel")

NEVER_LAST = _words(
    "e.g i.e eg ie vs cf viz approx a.k.a aka incl excl esp w.r.t resp n.b p.s nb ps"
    " z.b d.h i.d.r i.a s.o s.u m.e u.u z.t z.zt d.i i.e.s i.s i.v o.g u.g b.z.w i.h.v bzw ggf ggfs evtl"
    " evt sog inkl exkl vgl bspw insb insbes urspr eigtl bzgl abzgl zzgl einschl ausschl entspr"
    " jew allg zw ungef betr engl frz griech lat ital v.a a.d h.c rer.nat lt"
    " p.ex c.-à-d c.à.d càd par.ex p.ej ej p.e aprox"
    " т.е т.н т.к см напр"
)
"""Something always follows: "e.g. this"."""

SMALL_ONLY = _words("ca c med phil rer nat jur habil apr")
"""As `NEVER_LAST`, but only in small letters: "Dr. phil. Vogel", not "I met Phil."."""

BEFORE_NUMBER = _words(
    "no nos nr nrs nº n° núm núms num fig figs eq eqs sec secs sect ch chs chap vol vols p pp pg pgs art arts para"
    " paras tab tbl ref refs ver app apps ex abb abs kap bd bde s z zl ziff hs § lfd §§ anm anl jg jhg aufl rte hwy"
    " apt ste pág págs cap caps tít párr lám tel tél téléc fax bl postf alg thm lem prop cor def pt pts min max mind op"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun okt dez mär mrz"
    " janv févr fév avr juil déc env ene abr ago dic lun mié jue vie sáb dom"
    " стр гл рис табл"
)
"""End no sentence before a number: "No. 5", "Abb. 3"."""

OFTEN_LAST = _words(
    "etc usw usf uvm u.s.w u.s.f u.v.m u.v.a u.a.m u.ä o.ä u.dgl o.dgl dgl et.c etc.pp q.e.d r.i.p т.д т.п и.т.д и.т.п"
)
"""End a sentence wherever a capital follows: "and so on, etc. The rest"."""

UNITS = _words(
    "a.m p.m am.pm min mins sek std stdn hr hrs sec secs yr yrs wk wks mos oz lb lbs ft yd tsp tbsp km cm mm kg mg ml"
    " km.h ha mph kph mio mill mrd tsd jh jhd jhdt jt st pers stck prs g l m s h"
    " г гг руб коп тыс млн млрд"
)
"""Stand behind a number, and may end a sentence: wherever a capital follows."""

NOT_AFTER_TIME = _words(
    "est edt pst pdt cst cdt mst mdt gmt utc cet cest bst et pt ct eastern pacific central mountain monday tuesday"
    " wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
)
"""Go on with a time of the day: "5 p.m. Eastern"."""

EITHER = _words(
    "inc ltd co corp bros jr st ave blvd rd dept dist assn assoc intl natl govt est al esq sr"
    " u.s u.k u.n e.u u.s.a d.c l.a n.y u.s.s.r a.d b.c.e c.e b.c ph.d m.d b.a m.a b.sc m.sc d.phil ll.d d.d.s"
    " m.b.a p.o"
    " u.a s.a o.a v.chr n.chr v.u.z n.u.z str pl hbf bhf ges gmbh e.v a.g hrsg übers verf jh.v.chr"
    " m.b.h o.j s.l z.hd i.r a.m.d d.j d.m desgl ehem verh gest geb gesch"
    " av boul bd fbg apr.j.-c av.j.-c j.-c apr.j.c av.j.c hab dépt éd coll trad s.a.r.l s.a.s s.n.c n.d cie éts"
    " a.c d.c a.de.c d.de.c ee.uu ee.uu.a avda ctra dpto depto edif izq izda dcha prov tfno hnos cía gral sta c.v"
    " ff.aa rr.hh jj.oo cc.oo"
    " ул им ul os"
)
"""May end a sentence: they do where the next word often begins one."""

LETTERED = _words(
    "vitamin vitamins plan option group type class section part point step room hall gate terminal exhibit appendix"
    " hepatitis figure column row line team block grade schedule item answer question size key button platform wing"
    " unit module note drive floor seat form version model route brand letter zone"
    " gruppe klasse raum saal punkt teil abschnitt typ spalte zeile hepatitis variante anlage aufgabe antwort"
    " sala grupo punto opción parte clase tipo columna fila vitamina apartado pregunta respuesta aula"
    " salle groupe partie classe colonne ligne vitamine annexe hépatite bâtiment porte"
)
"""What a single letter names: "vitamin C."."""

SAID = _words(
    "said asked replied answered whispered shouted cried called muttered murmured exclaimed added continued yelled"
    " screamed thought wondered sighed laughed explained insisted snapped demanded repeated says asks replies"
)
"""What someone did with words in quotation marks before: "\"Why?\" I asked."."""

INTERJECTIONS = _words("hm hmm hmmm mm mmm shh sh psst pst brr brrr grr tsk pfft zzz tja mhm mmh")
"""Words without a vowel, which shorten nothing."""

COMPANY = _words("Inc Ltd Corp Co LLC GmbH AG Plc PLC SA Group Kids Games Mail Japan News Finance Answers")
"""After a name that ends in "!" ("Yahoo! Inc.")."""

MONTHS = _words(
    "january february march april may june july august september october november december"
    " januar jänner februar märz mai juni juli oktober dezember jan feb mär mrz apr jun jul aug sep sept okt nov dez"
    " montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
ORDINAL_NOUNS = _words(
    "jahrhundert jahrhunderts jahrhunderte jahrtausend platz rang stock stockwerk etage klasse auflage mal tag tages"
    " woche monat monats jahr jahrestag jahrestages lebensjahr weltkrieg weltkriegs weltkrieges geburtstag runde liga"
    " semester quartal halbjahr schritt punkt stelle kapitel teil band akt szene sinfonie symphonie dynastie"
    " armee division bezirk wahlgang spieltag minute stunde person potenz ordnung grades grad"
    " version ausgabe generation bundesliga oktober kongress parteitag änderung zusatzartikel breitengrad längengrad"
)
"""German nouns that an ordinal ("das 3. Kapitel") stands before."""

BEFORE_ORDINAL = _words(
    "am vom zum zur im beim der die das dem den des ein eine einen einem einer ihr ihre ihren ihrem ihrer sein seine"
    " seinen seinem seiner mein meine meinen meinem unser unsere unseren unserem jeder jede jedes jedem jeden dieser"
    " diese dieses diesem diesen ins"
)
"""German words that an ordinal follows: "am 3.", "im 19."."""

STARTERS = _words(
    # English
    "the a an this that these those he she it we you they i his her its my our your their there here in on at by for"
    " from with without when while where who what why how if as but and or so yet then now after before since because"
    " although though however therefore thus hence also another all any some many most more both each every no not one"
    " two three first second third finally next last later today tomorrow yesterday let please note see use is are was"
    " were do does did can could should would will may might have has had to of such until once instead meanwhile"
    " moreover furthermore additionally only even just still again never nothing everyone nobody"
    # German
    " der die das ein eine einer eines dieser diese dieses er sie es wir ihr ich du man hier dort da dann danach dabei"
    " dafür damit deshalb daher darum dennoch doch aber und oder denn im am an auf aus bei mit nach von vor zu zum zur"
    " für über unter wenn weil als ob wie was wer wo warum wann nun jetzt heute morgen gestern auch nur noch nicht kein"
    " keine alle viele einige manche beide jeder jede zuerst zunächst schließlich außerdem trotzdem allerdings später"
    " seit bis während obwohl bitte siehe sein seine ihre unser unsere mein meine"
    # French
    " le la les l un une des ce cet cette ces il elle ils elles nous vous je tu on c'est et ou mais donc or ni car dans"
    " sur sous avec sans pour par en au aux à de du quand lorsque si comme puis ensuite enfin ainsi alors aussi après"
    " avant depuis pendant voici voilà cela ça ceci son sa ses leur leurs notre nos votre vos mon ma mes tous toutes"
    " chaque plusieurs aucun aujourd'hui hier demain toutefois cependant pourtant"
    # Spanish
    " el la los las un una unos unas este esta estos estas ese esa esto eso aquel él ella ellos ellas nosotros usted"
    " ustedes yo y o pero en con sin por para de del al a según cuando si como porque aunque entonces luego después"
    " antes desde hasta también además sin embargo finalmente hoy ayer mañana su sus mi mis nuestro nuestra todo todos"
    " todas cada muchos muchas algunos ningún hay es son fue era no se lo le les"
    # Russian
    " он она оно они мы вы я это этот эта эти в на с по для и но а когда если затем потом"
)
"""Words that often begin a sentence, capitalised there; a name is seldom one of them."""
