"""One SDF file with something of everything, for damaging."""

EVERYTHING = """<?xml version='1.0'?>
<sdf version='1.11'>
<world name='yard'>
<gravity>0 0 -9.8</gravity>
<physics type='ode'><max_step_size>0.001</max_step_size></physics>
<frame name='mark'><pose degrees='true'>1 2 0 0 0 90</pose></frame>
<model name='floor'>
<static>true</static>
<link name='slab'>
<collision name='top'><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>
<surface><friction><ode><mu>0.7</mu><mu2>0.6</mu2></ode><torsional><coefficient>1</coefficient></torsional></friction>
<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.1</threshold></bounce>
<contact><ode><kp>1e6</kp></ode><collide_bitmask>1</collide_bitmask></contact></surface></collision>
<visual name='top'><geometry><plane><size>9 9</size></plane></geometry>
<material><diffuse>0.2 0.4 0.6 1</diffuse></material><transparency>0.5</transparency></visual>
</link>
</model>
<model name='arm' canonical_link='base' placement_frame='foot'>
<pose relative_to='mark' rotation_format='quat_xyzw'>0 0 0.5 0 0 0.6 0.8</pose>
<self_collide>1</self_collide>
<frame name='foot' attached_to='base'><pose>0 0 -0.1 0 0 0</pose></frame>
<link name='base'>
<inertial><pose>0 0 0.1 0 0.2 0</pose><mass>3</mass>
<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz><ixy>0.01</ixy></inertia></inertial>
<collision name='c'><pose>0 0 0.1 0 0 0</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>
<visual name='v'><geometry><mesh><uri>meshes/t.stl</uri><scale>1 2 3</scale></mesh></geometry></visual>
</link>
<link name='upper'>
<pose relative_to='base'>0.3 0 0.2 0 0.5 0</pose>
<collision name='c'><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
<visual name='v'><geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry></visual>
</link>
<link name='lower'><pose relative_to='upper'>0.5 0 0 0 0 0</pose></link>
<link name='rotor'><pose relative_to='base'>0.3 0 0.2 0 0 0</pose></link>
<link name='tip'><pose relative_to='lower'>0.1 0 0 0 0 0</pose></link>
<link name='nut'><pose relative_to='base'>0 0.3 0 0 0 0</pose></link>
<link name='cup'><pose relative_to='base'>0 0.6 0 0 0 0</pose></link>
<joint name='weld' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='shoulder' type='revolute'><pose relative_to='base'>0.3 0 0.2 0 0 0</pose>
<parent>base</parent><child>upper</child>
<axis><xyz expressed_in='base'>0 1 0</xyz><limit><lower>-1</lower><upper>1.5</upper><effort>10</effort></limit>
<dynamics><damping>0.1</damping><friction>0.2</friction><spring_reference>0.1</spring_reference>
<spring_stiffness>3</spring_stiffness></dynamics></axis>
</joint>
<joint name='axle' type='continuous'><parent>base</parent><child>rotor</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name='box' type='gearbox'><parent>rotor</parent><child>upper</child>
<gearbox_reference_body>base</gearbox_reference_body><gearbox_ratio>0.05</gearbox_ratio>
<axis><xyz expressed_in='__model__'>0 1 0</xyz></axis><axis2><xyz expressed_in='base'>0 1 0</xyz></axis2></joint>
<joint name='elbow' type='revolute'><parent>upper</parent><child>lower</child>
<axis><xyz>0 0 1</xyz><mimic joint='shoulder'><multiplier>-2</multiplier><offset>0.1</offset></mimic></axis></joint>
<joint name='wrist' type='universal'><parent>lower</parent><child>tip</child>
<axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
<joint name='thread' type='screw'><parent>base</parent><child>nut</child><thread_pitch>-600</thread_pitch>
<axis><xyz>0 0 1</xyz></axis></joint>
<joint name='socket' type='ball'><parent>base</parent><child>cup</child></joint>
<joint name='loop' type='ball'><parent>cup</parent><child>nut</child></joint>
<model name='hand'><pose relative_to='tip'>0.1 0 0 0 0 0</pose><link name='palm'/></model>
<joint name='grip' type='prismatic'><parent>tip</parent><child>hand::palm</child><axis><xyz>1 0 0</xyz></axis></joint>
<include merge='true'><uri>foot</uri><name>extra</name></include>
<include><uri>model://foot</uri><name>left</name><pose>0 0 1 0 0 0</pose></include>
<plugin name='p' filename='f'><gain>1</gain></plugin>
</model>
<light name='sun'/>
</world>
</sdf>
"""

FOOT = """<sdf version='1.4'><model name='foot'><link name='sole'><inertial><mass>1</mass></inertial></link>
<link name='toe'/><joint name='bend' type='revolute'><parent>sole</parent><child>toe</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>
"""
